// Asks a server of SFTP, and takes its answers for what they are.
#include "topsctl/host/network/sftp.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::uint32_t version = 3;
constexpr std::int64_t answer_timeout_ms = 60'000;
constexpr std::int64_t sync_timeout_ms = 600'000;
constexpr std::size_t most_noise = 4096;
constexpr std::size_t longest_line = 100;
constexpr const char* rename_over = "posix-rename@openssh.com";
constexpr const char* sync_file = "fsync@openssh.com";
constexpr const char* tell_room = "statvfs@openssh.com";

[[noreturn]] void refuse_answer(const std::string& why) {
  throw Error(ErrorCode::unreachable, format("SFTP protocol error by the remote server: {}", why),
              "check what runs on the host");
}

std::uint32_t flags_of(SftpOpening opening) {
  constexpr std::uint32_t reading = 0x1;
  constexpr std::uint32_t writing = 0x2;
  constexpr std::uint32_t making = 0x8;
  constexpr std::uint32_t only_new = 0x20;
  switch (opening) {
    case SftpOpening::to_read:
      return reading;
    case SftpOpening::to_write:
      return reading | writing;
    case SftpOpening::to_make:
      break;
  }
  return reading | writing | making | only_new;
}

bool tells_of_room(const std::string& text) {
  const std::string lower = lower_case(text);
  return lower.find("no space") != std::string::npos || lower.find("quota") != std::string::npos;
}

}  // namespace

std::string sftp_greeting() {
  return SftpWriter(SftpKind::init, version).packet();
}

Error sftp_error(const SftpStatus& status, const std::string& act, const std::string& path) {
  const std::string what =
      format("cannot {} {} on the remote host: {}", act, in_quotes(path),
             status.text.empty() ? format("SFTP status {}", static_cast<std::uint32_t>(status.code))
                                 : status.text);
  switch (status.code) {
    case SftpCode::permission_denied:
      return Error(ErrorCode::permission, what,
                   "choose a directory of the user with --dest, as the server shows it");
    case SftpCode::no_connection:
    case SftpCode::connection_lost:
      return Error(ErrorCode::unreachable, what, "run the same command again");
    default:
      break;
  }
  if (tells_of_room(status.text))
    return Error(ErrorCode::no_space, what,
                 "free some space on the remote host, or choose another --dest");
  return Error(ErrorCode::host_unfit, what,
               "check with `sftp` that the user has permission and that there is free space");
}

SftpClient::SftpClient(std::unique_ptr<RemoteStream> stream, std::int64_t greeting_timeout_ms)
    : stream_(std::move(stream)) {
  stream_->write(sftp_greeting());
  const SftpPacket greeting = first_packet(greeting_timeout_ms);
  if (greeting.kind != SftpKind::version) refuse_answer("the first packet is not its version");
  if (greeting.number < version) refuse_answer(format("version {}", greeting.number));
  extensions_ = parse_sftp_extensions(greeting.fields);
}

// A shell that starts the server may say something before it.
SftpPacket SftpClient::first_packet(std::int64_t timeout_ms) {
  std::string head;
  try {
    for (;;) {
      if (auto packet = parser_.next()) return *std::move(packet);
      const auto bytes = stream_->read(timeout_ms);
      if (!bytes || bytes->empty()) break;
      if (head.size() < most_noise) head += bytes->substr(0, most_noise);
      parser_.take(*bytes);
    }
  } catch (const ConnectionLost&) {
    throw;
  } catch (const Error&) {
    const std::string line = printable(trimmed(std::string_view(head).substr(0, head.find('\n'))));
    const bool is_text = head.size() >= 4 && !has_harmful_character(head.substr(0, 4));
    if (!is_text) throw;
    throw Error(
        ErrorCode::unreachable,
        format("the SFTP server is not understood: a start-up file of the shell writes {} to "
               "standard output",
               in_quotes(shortened(line, longest_line))),
        "find it in ~/.bashrc, ~/.profile or ~/.cshrc on the host, and skip it in shells "
        "without a terminal");
  }
  // It is silent, or has ended.
  return received(0);
}

SftpWriter SftpClient::question(SftpKind kind) {
  if (!asked_.empty()) throw Error(ErrorCode::internal, "a request while pieces are outstanding");
  return SftpWriter(kind, ++last_number_);
}

std::uint32_t SftpClient::ask(const SftpWriter& question) {
  stream_->write(question.packet());
  return question.number();
}

std::optional<SftpPacket> SftpClient::receive(std::int64_t timeout_ms) {
  for (;;) {
    if (auto packet = parser_.next()) return packet;
    const auto bytes = stream_->read(timeout_ms);
    if (!bytes) return std::nullopt;
    if (bytes->empty()) {
      const std::string words = last_words(stream_->finish().errors);
      throw ConnectionLost(
          format("the remote SFTP server has ended{}", words.empty() ? "" : concat(": ", words)),
          "rerun the same command: data already received is kept");
    }
    parser_.take(*bytes);
  }
}

SftpPacket SftpClient::received(std::int64_t timeout_ms) {
  auto packet = receive(timeout_ms);
  if (packet) return std::move(*packet);
  throw ConnectionLost("the remote SFTP server does not answer",
                       "rerun the same command: data already received is kept");
}

SftpPacket SftpClient::answer_to(std::uint32_t number, SftpKind kind, std::int64_t timeout_ms) {
  SftpPacket packet = received(timeout_ms);
  if (packet.kind == SftpKind::version || packet.number != number)
    refuse_answer("an unsolicited answer");
  if (packet.kind != kind && packet.kind != SftpKind::status)
    refuse_answer("an answer of the wrong type");
  return packet;
}

SftpStatus SftpClient::status_of(std::uint32_t number, std::int64_t timeout_ms) {
  return parse_sftp_status(answer_to(number, SftpKind::status, timeout_ms).fields);
}

void SftpClient::require_done(std::uint32_t number, const std::string& act, const std::string& path,
                              std::int64_t timeout_ms) {
  const SftpStatus status = status_of(number, timeout_ms);
  if (status.code != SftpCode::ok) throw sftp_error(status, act, path);
}

std::optional<SftpAttributes> SftpClient::look(SftpKind how, const std::string& path) {
  const std::uint32_t number = ask(question(how).add(path));
  const SftpPacket packet = answer_to(number, SftpKind::attributes, answer_timeout_ms);
  if (packet.kind == SftpKind::attributes) return parse_sftp_attributes(packet.fields);
  const SftpStatus status = parse_sftp_status(packet.fields);
  if (status.code == SftpCode::no_such_file) return std::nullopt;
  throw sftp_error(status, "stat", path);
}

std::optional<SftpAttributes> SftpClient::look_at(const std::string& path) {
  return look(SftpKind::look_at, path);
}

std::optional<SftpAttributes> SftpClient::stat_following(const std::string& path) {
  return look(SftpKind::stat_following, path);
}

void SftpClient::make_folder(const std::string& path, std::uint32_t mode) {
  const auto number = ask(question(SftpKind::make_folder).add(path).add(std::nullopt, mode));
  require_done(number, "create directory", path, answer_timeout_ms);
}

void SftpClient::remove(const std::string& path) {
  require_done(ask(question(SftpKind::remove).add(path)), "remove", path, answer_timeout_ms);
}

void SftpClient::rename(const std::string& from, const std::string& to) {
  if (offers(rename_over)) {
    SftpWriter packet = question(SftpKind::extended).add(rename_over).add(from).add(to);
    require_done(ask(packet), "write", to, answer_timeout_ms);
    return;
  }
  // Others refuse a name that is taken.
  if (look_at(to)) remove(to);
  require_done(ask(question(SftpKind::rename).add(from).add(to)), "write", to, answer_timeout_ms);
}

std::optional<std::uint64_t> SftpClient::room_at(const std::string& path) {
  if (!offers(tell_room)) return std::nullopt;
  const auto number = ask(question(SftpKind::extended).add(tell_room).add(path));
  const SftpPacket packet = answer_to(number, SftpKind::extended_reply, answer_timeout_ms);
  if (packet.kind == SftpKind::status) return std::nullopt;
  return parse_sftp_room(packet.fields);
}

SftpClient::Handle SftpClient::open(const std::string& path, SftpOpening opening,
                                    std::uint32_t mode) {
  SftpWriter packet = question(SftpKind::open).add(path).add(flags_of(opening));
  packet.add(std::nullopt, mode);
  const SftpPacket answer = answer_to(ask(packet), SftpKind::handle, answer_timeout_ms);
  if (answer.kind == SftpKind::handle) return parse_sftp_handle(answer.fields);
  const SftpStatus status = parse_sftp_status(answer.fields);
  if (status.code == SftpCode::ok) refuse_answer("an opened file without a handle");
  throw sftp_error(status, opening == SftpOpening::to_read ? "read" : "write", path);
}

SftpAttributes SftpClient::attributes_of(const Handle& handle, const std::string& path) {
  const auto number = ask(question(SftpKind::look_at_handle).add(handle));
  const SftpPacket answer = answer_to(number, SftpKind::attributes, answer_timeout_ms);
  if (answer.kind == SftpKind::attributes) return parse_sftp_attributes(answer.fields);
  throw sftp_error(parse_sftp_status(answer.fields), "stat", path);
}

bool SftpClient::set(const Handle& handle, const std::string& path,
                     std::optional<std::uint64_t> size, std::optional<std::uint32_t> mode) {
  for (const auto& [kind, what] :
       {std::pair{SftpKind::set_handle, &handle}, {SftpKind::set, &path}}) {
    const auto number = ask(question(kind).add(*what).add(size, mode));
    if (status_of(number, answer_timeout_ms).code == SftpCode::ok) return true;
  }
  return false;
}

void SftpClient::sync(const Handle& handle, const std::string& path) {
  if (!offers(sync_file)) return;
  const auto number = ask(question(SftpKind::extended).add(sync_file).add(handle));
  const SftpStatus status = status_of(number, sync_timeout_ms);
  // Some name it and do not do it, as where a disk does not; a failure may be one of the disk's.
  const bool is_refused = status.code == SftpCode::unsupported ||
                          status.code == SftpCode::permission_denied ||
                          status.code == SftpCode::bad_message;
  if (status.code != SftpCode::ok && !is_refused) throw sftp_error(status, "sync", path);
}

void SftpClient::close(const Handle& handle, const std::string& path) {
  require_done(ask(question(SftpKind::close).add(handle)), "close", path, sync_timeout_ms);
}

std::uint32_t SftpClient::ask_to_write(const Handle& handle, std::uint64_t offset,
                                       std::string_view bytes) {
  SftpWriter packet(SftpKind::write, ++last_number_);
  packet.add(handle).add(offset).add(bytes);
  asked_[last_number_] = 0;
  return ask(packet);
}

std::uint32_t SftpClient::ask_to_read(const Handle& handle, std::uint64_t offset,
                                      std::uint32_t size) {
  SftpWriter packet(SftpKind::read, ++last_number_);
  packet.add(handle).add(offset).add(size);
  asked_[last_number_] = size;
  return ask(packet);
}

std::optional<SftpPiece> SftpClient::next_piece(SftpWait wait) {
  const auto found = receive(wait == SftpWait::none ? 0 : answer_timeout_ms);
  if (!found && wait == SftpWait::none) return std::nullopt;
  if (!found) {
    throw ConnectionLost("the remote SFTP server does not answer",
                         "rerun the same command: data already received is kept");
  }
  const SftpPacket& packet = *found;
  const auto asked = asked_.find(packet.number);
  if (packet.kind == SftpKind::version || asked == asked_.end())
    refuse_answer("an unsolicited answer");
  const std::uint32_t size = asked->second;
  asked_.erase(asked);
  SftpPiece piece;
  piece.number = packet.number;
  if (packet.kind == SftpKind::status) {
    piece.status = parse_sftp_status(packet.fields);
    if (size > 0 && piece.status.code == SftpCode::ok) refuse_answer("an empty read");
  } else if (packet.kind == SftpKind::data && size > 0) {
    piece.bytes = parse_sftp_data(packet.fields);
    if (piece.bytes.empty() || piece.bytes.size() > size)
      refuse_answer("a read of the wrong length");
  } else {
    refuse_answer("an answer of the wrong type");
  }
  return piece;
}

std::uint32_t SftpClient::most_to_write() const {
  // A packet of 256 KiB ends OpenSSH's server; of others only 34000 bytes can be expected.
  constexpr std::uint32_t of_openssh = 261'000;
  constexpr std::uint32_t of_all = 32U << 10U;
  return offers(rename_over) ? of_openssh : of_all;
}

}  // namespace topsctl

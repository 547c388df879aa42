// Writes and parses packets of SFTP; pure.
#include "topsctl/host/network/sftp_packets.hpp"

#include <limits>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::uint32_t has_size = 0x1;
constexpr std::uint32_t has_owner = 0x2;
constexpr std::uint32_t has_mode = 0x4;
constexpr std::uint32_t has_times = 0x8;
constexpr std::uint32_t has_more = 0x80000000;
constexpr std::size_t head_bytes = 9;  // length, kind and number

[[noreturn]] void refuse_packet(const std::string& why) {
  throw Error(ErrorCode::unreachable,
              format("unexpected data from the remote SFTP server: {}", why),
              "check that `sftp` works on the remote host, and that nothing writes to standard "
              "output at login");
}

template <class Integer>
void append_number(std::string& to, Integer value) {
  for (std::size_t i = sizeof value; i-- > 0;)
    to.push_back(static_cast<char>((value >> (8 * i)) & 0xFFU));
}

template <class Integer>
Integer number_in(std::string_view bytes) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<Integer>(value << 8U) | static_cast<unsigned char>(bytes[i]);
  return value;
}

// The fields of a packet, one after the other; there must be as many as are asked for.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  bool is_empty() const { return rest_.empty(); }
  std::uint32_t number() { return number_in<std::uint32_t>(cut(sizeof(std::uint32_t))); }
  std::uint64_t long_number() { return number_in<std::uint64_t>(cut(sizeof(std::uint64_t))); }
  std::string_view text() { return cut(number()); }

 private:
  std::string_view cut(std::size_t size) {
    if (size > rest_.size()) refuse_packet("a truncated packet");
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }

  std::string_view rest_;
};

bool is_of_servers(SftpKind kind) {
  switch (kind) {
    case SftpKind::version:
    case SftpKind::status:
    case SftpKind::handle:
    case SftpKind::data:
    case SftpKind::attributes:
    case SftpKind::extended_reply:
      return true;
    default:
      return false;
  }
}

}  // namespace

SftpWriter::SftpWriter(SftpKind kind, std::uint32_t number) : number_(number) {
  body_.push_back(static_cast<char>(kind));
  append_number(body_, number);
}

SftpWriter& SftpWriter::add(std::uint32_t value) {
  append_number(body_, value);
  return *this;
}

SftpWriter& SftpWriter::add(std::uint64_t value) {
  append_number(body_, value);
  return *this;
}

SftpWriter& SftpWriter::add(std::string_view text) {
  append_number(body_, static_cast<std::uint32_t>(text.size()));
  body_.append(text);
  return *this;
}

SftpWriter& SftpWriter::add(std::optional<std::uint64_t> size, std::optional<std::uint32_t> mode) {
  add((size ? has_size : 0U) | (mode ? has_mode : 0U));
  if (size) add(*size);
  if (mode) add(*mode);
  return *this;
}

std::string SftpWriter::packet() const {
  std::string bytes;
  bytes.reserve(sizeof(std::uint32_t) + body_.size());
  append_number(bytes, static_cast<std::uint32_t>(body_.size()));
  return bytes.append(body_);
}

void SftpParser::take(std::string_view bytes) {
  if (begin_ > most_sftp_packet) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
  bytes_.append(bytes);
}

std::optional<SftpPacket> SftpParser::next() {
  const std::string_view rest = std::string_view(bytes_).substr(begin_);
  if (rest.size() < sizeof(std::uint32_t)) return std::nullopt;
  const auto length = number_in<std::uint32_t>(rest);
  if (length > most_sftp_packet) refuse_packet("a packet that is too long");
  if (length + sizeof length < head_bytes) refuse_packet("a packet that is too short");
  // The kind is looked at before the rest is waited for.
  if (rest.size() <= sizeof length) return std::nullopt;
  const auto kind = static_cast<SftpKind>(rest[sizeof length]);
  if (!is_of_servers(kind)) refuse_packet("a packet of unknown type");
  if (rest.size() < sizeof length + length) return std::nullopt;
  begin_ += sizeof length + length;
  return SftpPacket{kind, number_in<std::uint32_t>(rest.substr(sizeof length + 1)),
                    std::string(rest.substr(head_bytes, sizeof length + length - head_bytes))};
}

std::map<std::string, std::string> parse_sftp_extensions(std::string_view bytes) {
  std::map<std::string, std::string> found;
  for (Fields fields(bytes); !fields.is_empty();) {
    const std::string name(fields.text());
    found[name] = std::string(fields.text());
  }
  return found;
}

SftpStatus parse_sftp_status(std::string_view bytes) {
  Fields fields(bytes);
  SftpStatus status;
  status.code = static_cast<SftpCode>(fields.number());
  constexpr std::size_t most_told = 300;
  // Some servers leave the text out.
  if (!fields.is_empty()) status.text = shortened(printable(fields.text()), most_told);
  return status;
}

std::string parse_sftp_handle(std::string_view bytes) {
  constexpr std::size_t longest = 256;
  std::string handle(Fields(bytes).text());
  if (handle.size() > longest) refuse_packet("a handle that is too long");
  return handle;
}

std::string parse_sftp_data(std::string_view bytes) {
  return std::string(Fields(bytes).text());
}

SftpAttributes parse_sftp_attributes(std::string_view bytes) {
  Fields fields(bytes);
  const std::uint32_t flags = fields.number();
  SftpAttributes attributes;
  if ((flags & has_size) != 0) attributes.size = fields.long_number();
  if ((flags & has_owner) != 0) {
    attributes.owner = fields.number();
    fields.number();
  }
  if ((flags & has_mode) != 0) attributes.mode = fields.number();
  if ((flags & has_times) != 0) fields.long_number();
  if ((flags & has_more) != 0) {
    for (std::uint32_t left = fields.number(); left > 0; --left) {
      fields.text();
      fields.text();
    }
  }
  return attributes;
}

std::uint64_t parse_sftp_room(std::string_view bytes) {
  Fields fields(bytes);
  fields.long_number();  // of the block that is best to read
  const std::uint64_t block = fields.long_number();
  fields.long_number();  // blocks of all
  fields.long_number();  // that root may still take
  const std::uint64_t blocks = fields.long_number();
  std::uint64_t room = 0;
  if (__builtin_mul_overflow(block, blocks, &room))
    return std::numeric_limits<std::uint64_t>::max();
  return room;
}

}  // namespace topsctl

// Keeps pieces of several chunks on their way, and believes a chunk when it was read back.
#include "engine/transfer/sftp_chunks.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_in_flight = 16ULL << 20U;
constexpr std::size_t most_turns = 6;
constexpr unsigned most_false_readings = 3;

}  // namespace

SftpChunks::SftpChunks(SftpClient& sftp, SftpClient::Handle handle, std::string path,
                       const ShippedFile& file, RateLimit& limit, const SftpChunkEvents& events)
    : sftp_(sftp),
      handle_(std::move(handle)),
      path_(std::move(path)),
      file_(file),
      limit_(limit),
      events_(events) {}

std::vector<std::uint64_t> SftpChunks::wrong_among(std::vector<std::uint64_t> chunks, Until until) {
  wrong_.clear();
  work(std::move(chunks), Act::look, until);
  std::sort(wrong_.begin(), wrong_.end());
  return wrong_;
}

void SftpChunks::bring(std::vector<std::uint64_t> chunks) {
  if (chunks.empty()) return;
  input_ = Descriptor(::open(file_.file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input_.is_open())
    throw system_error(errno, "read", file_.file.string(), ErrorCode::bad_bundle);
  work(std::move(chunks), Act::bring, Until::end);
}

void SftpChunks::work(std::vector<std::uint64_t> chunks, Act act, Until until) {
  act_ = act;
  until_ = until;
  queue_.assign(chunks.begin(), chunks.end());
  for (;;) {
    throw_if_interrupted();
    const bool has_asked = in_flight_ < most_in_flight && ask_next();
    if (pieces_.empty()) break;
    // What is there already is taken in between, so that a slow line shows how far it is.
    if (const auto answer = sftp_.next_piece(has_asked ? SftpWait::none : SftpWait::for_it))
      take(*answer);
  }
  if (failure_) throw *failure_;
}

// Oldest first: a chunk that was written is read back before another is begun.
bool SftpChunks::ask_next() {
  if (failure_) return false;
  const auto turn = std::find_if(turns_.begin(), turns_.end(),
                                 [](const Turn& each) { return each.asked < each.size; });
  if (turn != turns_.end()) {
    ask(turn);
    return true;
  }
  if (queue_.empty() || turns_.size() == most_turns) return false;
  Turn next;
  next.chunk = queue_.front();
  next.size = chunk_size(file_.chunks.size, next.chunk);
  next.is_read = act_ == Act::look;
  if (next.is_read) next.bytes.resize(next.size);
  queue_.pop_front();
  turns_.push_back(std::move(next));
  ask(std::prev(turns_.end()));
  return true;
}

void SftpChunks::ask(const Turns::iterator& turn) {
  const std::uint64_t most = turn->is_read ? SftpClient::most_to_read : sftp_.most_to_write();
  const auto size = static_cast<std::uint32_t>(std::min(most, turn->size - turn->asked));
  const std::uint64_t offset = turn->asked;
  turn->asked += size;
  if (turn->is_read) {
    ask_to_read(turn, offset, size);
    return;
  }
  const std::uint64_t at = turn->chunk * chunk_bytes + offset;
  const std::string bytes = local_bytes(at, size);
  limit_.take(size);
  pieces_[sftp_.ask_to_write(handle_, at, bytes)] = {turn, offset, size};
  ++turn->unanswered;
  in_flight_ += size;
  events_.on_sent(size);
}

void SftpChunks::ask_to_read(const Turns::iterator& turn, std::uint64_t offset,
                             std::uint32_t size) {
  pieces_[sftp_.ask_to_read(handle_, turn->chunk * chunk_bytes + offset, size)] = {turn, offset,
                                                                                   size};
  ++turn->unanswered;
  in_flight_ += size;
}

std::string SftpChunks::local_bytes(std::uint64_t offset, std::uint64_t size) const {
  std::string bytes(size, '\0');
  for (std::size_t have = 0; have < size;) {
    const ssize_t got =
        ::pread(input_.get(), bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw changed_while_sent(file_.file);
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

void SftpChunks::take(const SftpPiece& answer) {
  const Piece piece = pieces_.at(answer.number);
  pieces_.erase(answer.number);
  in_flight_ -= piece.size;
  Turn& turn = *piece.turn;
  --turn.unanswered;
  if (turn.is_read) {
    take_read(piece, answer);
  } else if (answer.status.code != SftpCode::ok && !failure_) {
    failure_ = sftp_error(answer.status, "write", path_);
  }
  if (failure_ || turn.unanswered > 0 || turn.asked < turn.size) return;
  if (turn.is_read) {
    finish(piece.turn);
    return;
  }
  turn.is_read = true;
  turn.asked = 0;
  turn.bytes.resize(turn.size);
}

void SftpChunks::take_read(const Piece& piece, const SftpPiece& answer) {
  Turn& turn = *piece.turn;
  if (answer.bytes.empty()) {
    turn.is_short = true;
    if (answer.status.code != SftpCode::end_of_file && !failure_)
      failure_ = sftp_error(answer.status, "read", path_);
    return;
  }
  answer.bytes.copy(turn.bytes.data() + piece.offset, answer.bytes.size());
  const auto left = piece.size - static_cast<std::uint32_t>(answer.bytes.size());
  if (left > 0 && !failure_) ask_to_read(piece.turn, piece.offset + answer.bytes.size(), left);
}

void SftpChunks::finish(const Turns::iterator& turn) {
  const std::uint64_t chunk = turn->chunk;
  const std::uint64_t size = turn->size;
  Sha256 digest;
  digest.update(turn->bytes);
  const bool is_right = !turn->is_short && digest.bytes() == file_.chunks.digests.at(chunk);
  turns_.erase(turn);
  if (is_right) {
    events_.on_verified(size);
  } else if (act_ == Act::look) {
    wrong_.push_back(chunk);
    if (until_ == Until::first_wrong) queue_.clear();
  } else if (auto changed = change_of(file_, chunk)) {
    failure_ = std::move(changed);
  } else if (++false_digests_ == most_false_readings) {
    failure_ =
        Error(ErrorCode::unreachable,
              format("the digest of {} read back differs from what was sent", in_quotes(path_)),
              "its memory or disk may be faulty");
  } else {
    queue_.push_back(chunk);
  }
}

}  // namespace topsctl

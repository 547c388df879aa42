// Sends chunks over one connection.
#include "engine/transfer/chunk_sender.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t answer_timeout_ms = 60'000;
constexpr std::int64_t for_ever_ms = 31'536'000'000;  // a bell ends the wait
constexpr std::int64_t lag_look_ms = 2000;            // how often a feeder's lead is judged

}  // namespace

void ChunkSender::send() {
  for (;;) {
    // Before all that it tells of is looked at.
    bell_.silence();
    if (work_.is_over()) return;
    if (const auto place = work_.take()) {
      unanswered_.insert(*place);
      send_chunk(*place);
      hear(0);
    } else if (!unanswered_.empty() || member_ != nullptr) {
      hear(for_ever_ms);
    } else {
      // Another connection still waits for answers; what is false comes back to be sent again.
      wait_for({bell_.descriptor()});
      throw_if_interrupted();
    }
  }
}

void ChunkSender::send_chunk(const ChunkPlace& place) {
  const std::string file = work_.file_of(place).file.string();
  const std::uint64_t size = work_.size_of(place);
  const Descriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!input.is_open()) throw system_error(errno, "read", file, ErrorCode::bad_bundle);
  far_.send(chunk_head(place, size));
  constexpr std::uint64_t block = 128U << 10U;
  std::string buffer(block, '\0');
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t got = ::pread(input.get(), buffer.data(), std::min(block, size - done),
                                static_cast<off_t>(place.chunk * chunk_bytes + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw changed_while_sent(file);
    limit_.take(static_cast<std::uint64_t>(got));
    far_.send({buffer.data(), static_cast<std::size_t>(got)});
    done += static_cast<std::uint64_t>(got);
  }
  work_.count_sent(place);
}

void ChunkSender::receive_relayed() {
  const std::string key = random_bytes(sealed_key_bytes);
  far_.send(json_frame(FrameKind::listen, listen_json(key)));
  const RelayListening there = parse_listening(expect(FrameKind::listening, answer_timeout_ms));
  if (there.address.empty()) return member_->let_go();
  route_ = ChunkWork::Route::relayed;
  unanswered_ = work_.take_all();
  member_->ask({there.address, there.port, key, {unanswered_.begin(), unanswered_.end()}});
  for (;;) {
    bell_.silence();
    if (work_.is_over() || is_relay_false_ || !member_->is_fed()) break;
    hear(lag_look_ms);
  }
  // What comes by both ways at once could be mixed up, so the one ends before the other begins.
  far_.send(frame(FrameKind::unlisten, ""));
  expect(FrameKind::unlistened, answer_timeout_ms);
  member_->let_go();
  route_ = ChunkWork::Route::sent;
  put_back();
}

void ChunkSender::serve_follower() {
  while (member_ != nullptr) {
    bell_.silence();
    if (!member_->has_follower()) return;
    hear(for_ever_ms);
  }
}

void ChunkSender::put_back() {
  work_.put_back(std::exchange(unanswered_, {}));
}

std::string ChunkSender::expect(FrameKind kind, std::int64_t timeout_ms) {
  for (;;) {
    auto found = far_.next(timeout_ms);
    if (!found)
      throw ConnectionLost("the remote topsctl does not respond",
                           "rerun the same command: data already received is kept");
    if (found->kind == kind) return std::move(found->payload);
    if (!take_frame(*found)) refuse_frame(*found);
  }
}

// Takes what has come, and serves who wants something; waits for something once, or for the bell.
void ChunkSender::hear(std::int64_t timeout_ms) {
  serve_requests();
  while (const auto found = far_.next(timeout_ms, bell_.descriptor())) {
    if (!take_frame(*found)) refuse_frame(*found);
    timeout_ms = 0;
  }
  if (member_ != nullptr) member_->tell_progress(work_.verified_bytes());
}

// Whether it is one that may come at any time.
bool ChunkSender::take_frame(const RemoteAgent::Frame& frame) {
  if (frame.kind == FrameKind::ack) {
    take_ack(parse_ack(frame.payload));
    return true;
  }
  if (frame.kind == FrameKind::fed && member_ != nullptr) {
    if (!parse_fed(frame.payload).empty()) member_->tell_broken_feed();
    return true;
  }
  return frame.kind == FrameKind::welcome || frame.kind == FrameKind::joined;
}

void ChunkSender::take_ack(const Ack& ack) {
  if (unanswered_.erase(ack.place) == 0)
    throw Error(ErrorCode::unreachable, "the remote topsctl acknowledged what was not sent");
  if (!work_.judge(ack, route_) && route_ == ChunkWork::Route::relayed) is_relay_false_ = true;
}

void ChunkSender::serve_requests() {
  if (member_ == nullptr) return;
  if (const auto wanted = member_->request())
    far_.send(json_frame(FrameKind::feed, to_json(*wanted)));
}

}  // namespace topsctl

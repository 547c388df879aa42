// Sends chunks over one connection.
#include "engine/transfer/chunk_sender.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t answer_timeout_ms = 60'000;
constexpr std::int64_t for_ever_ms = 31'536'000'000;  // a bell ends the wait
constexpr std::chrono::milliseconds short_wait(10);
constexpr std::int64_t lag_look_ms = 2000;  // how often a feeder's lead is judged

std::int64_t left_of(std::int64_t milliseconds, std::chrono::steady_clock::time_point since) {
  const auto passed = std::chrono::steady_clock::now() - since;
  return milliseconds - std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}

}  // namespace

void ChunkSender::send() {
  // On a fast network the link is up before a chunk could be started, which costs more over SSH.
  if (direct_) direct_->is_reached(short_wait);
  busy_at_ = std::chrono::steady_clock::now();
  for (;;) {
    // Before the checks, so that no ring is lost.
    bell_.silence();
    if (direct_ && direct_->has_ended() && !work_.is_over()) end_direct();
    if (work_.is_over()) return;
    const bool is_left = direct_ && direct_->is_sending();
    const auto place = is_left ? std::nullopt : work_.take();
    if (place) {
      unanswered_.insert(*place);
      send_chunk(*place);
      hear(0);
    } else if (!unanswered_.empty() || direct_) {
      hear(std::max<std::int64_t>(left_of(timeout_.count(), busy_at_), 1));
      if (left_of(timeout_.count(), busy_at_) <= 0)
        throw ConnectionLost("the remote topsctl acknowledges nothing",
                             "rerun the same command: data already received is kept");
    } else if (member_ != nullptr) {
      hear(for_ever_ms);
    } else {
      // Another connection still waits for acknowledgements; failed chunks come back to be sent
      // again.
      wait_for({bell_.descriptor()});
      throw_if_interrupted();
    }
  }
}

void ChunkSender::send_chunk(const ChunkPlace& place) {
  read_chunks(work_, limit_, {&place, 1}, [this](std::string_view bytes) { far_.send(bytes); });
  work_.count_sent(place);
  busy_at_ = std::chrono::steady_clock::now();
}

bool ChunkSender::send_directly(const std::string& address, const LinkWish& wish) {
  if (address.empty()) return false;
  far_.send(json_frame(FrameKind::listen, to_json(wish)));
  const RelayListening there = parse_listening(expect(FrameKind::listening, answer_timeout_ms));
  if (there.address.empty()) return false;
  direct_ = std::make_shared<DirectSender>(
      work_, limit_, DirectPlace{address, there.port, wish.key, wish.direct_links, there.lanes},
      bell_);
  return true;
}

// Chunks from two ways at once could be mixed up, so one way ends before the other begins.
void ChunkSender::end_direct() {
  far_.send(frame(FrameKind::unlisten, ""));
  expect(FrameKind::unlistened, answer_timeout_ms);
  direct_->put_back();
  direct_.reset();
}

void ChunkSender::receive_relayed(const std::string& address) {
  const std::string key = random_bytes(sealed_key_bytes);
  far_.send(json_frame(FrameKind::listen, to_json(LinkWish{key})));
  const RelayListening there = parse_listening(expect(FrameKind::listening, answer_timeout_ms));
  if (!is_address_of_follower(there.address, address)) return member_->let_go();
  route_ = ChunkWork::Route::relayed;
  unanswered_ = work_.take_all();
  member_->ask({there.address, there.port, key, {unanswered_.begin(), unanswered_.end()}});
  for (;;) {
    bell_.silence();
    if (work_.is_over() || is_relay_false_ || !member_->is_fed()) break;
    hear(lag_look_ms);
  }
  // Chunks from two ways at once could be mixed up, so one way ends before the other begins.
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
  busy_at_ = std::chrono::steady_clock::now();
  for (;;) {
    // Frames of other kinds do not extend the time, except acknowledgements.
    const std::int64_t left_ms = left_of(timeout_ms, busy_at_);
    auto found = left_ms > 0 ? far_.next(left_ms) : std::nullopt;
    if (!found)
      throw ConnectionLost("the remote topsctl does not respond",
                           "rerun the same command: data already received is kept");
    if (found->kind == kind) return std::move(found->payload);
    if (!take_frame(*found)) refuse_frame(*found);
  }
}

// Handles received frames and requests; waits once for a frame or for the bell.
void ChunkSender::hear(std::int64_t timeout_ms) {
  serve_requests();
  while (const auto found = far_.next(timeout_ms, bell_.descriptor())) {
    if (!take_frame(*found)) refuse_frame(*found);
    timeout_ms = 0;
  }
  if (member_ != nullptr) member_->tell_progress(work_.verified_bytes());
}

// Whether the frame is of a kind that may come at any time.
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
  busy_at_ = std::chrono::steady_clock::now();
  const bool is_ours = unanswered_.erase(ack.place) > 0;
  if (!is_ours && !(direct_ && direct_->take_ack(ack.place)))
    throw Error(ErrorCode::unreachable, "the remote topsctl acknowledged what was not sent");
  if (!work_.judge(ack, route_) && route_ == ChunkWork::Route::relayed) is_relay_false_ = true;
}

void ChunkSender::serve_requests() {
  if (member_ == nullptr) return;
  if (const auto wanted = member_->request())
    far_.send(json_frame(FrameKind::feed, to_json(*wanted)));
}

}  // namespace topsctl

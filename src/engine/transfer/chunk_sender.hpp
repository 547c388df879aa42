// One connection of an upload: sends chunks, and handles their acknowledgements.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "engine/transfer/direct_sender.hpp"
#include "topsctl/engine/remote/relay_messages.hpp"
#include "topsctl/engine/remote/remote_agent.hpp"
#include "topsctl/engine/transfer/chunk_work.hpp"
#include "topsctl/engine/transfer/rate_limit.hpp"
#include "topsctl/engine/transfer/relay_chain.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// For one thread. The constructor's arguments must outlive it.
class ChunkSender {
 public:
  // Sent data may still be in transit.
  static constexpr std::chrono::minutes longest_silence = std::chrono::minutes(10);

  // `member`: null without a relay, and for all connections except the first. `timeout`: how long
  // sent chunks may stay without an acknowledgement.
  ChunkSender(RemoteAgent& far, ChunkWork& work, RateLimit& limit, RelayMember* member,
              std::chrono::milliseconds timeout = longest_silence)
      : far_(far), work_(work), limit_(limit), member_(member), timeout_(timeout) {
    work_.add(bell_);
    if (member_ != nullptr) member_->be_woken_by(&bell_);
  }
  ~ChunkSender() {
    work_.remove(bell_);
    if (member_ != nullptr) member_->be_woken_by(nullptr);
  }
  ChunkSender(const ChunkSender&) = delete;
  ChunkSender& operator=(const ChunkSender&) = delete;

  // Sends chunks that no other connection sends, until all are verified. Throws Error; chunks
  // without an acknowledgement can then be put back.
  void send();
  // Makes the remote listen for a separate link from here, at its reachable address; all chunks
  // that are not in transit then use that link. Returns whether it listens.
  bool send_directly(const std::string& address, const LinkWish& wish);
  // That link; null: not tried.
  std::shared_ptr<DirectSender> direct() const { return direct_; }
  // Lets another host send what it can; puts the remaining chunks back. `address` is that of the
  // connection to the remote; empty: not known.
  void receive_relayed(const std::string& address);
  // Serves the follower until it withdraws its request.
  void serve_follower();
  // The next frame that is not about chunks or the relay. Throws Error if it is of another kind.
  std::string expect(FrameKind kind, std::int64_t timeout_ms);

  void put_back();

 private:
  void send_chunk(const ChunkPlace& place);
  void end_direct();
  void hear(std::int64_t timeout_ms);
  bool take_frame(const RemoteAgent::Frame& frame);
  void take_ack(const Ack& ack);
  void serve_requests();

  RemoteAgent& far_;
  ChunkWork& work_;
  RateLimit& limit_;
  RelayMember* member_;
  Bell bell_;  // level when other threads have changed this one's inputs
  ChunkWork::Route route_ = ChunkWork::Route::sent;
  bool is_relay_false_ = false;  // it brought something else than it should
  std::shared_ptr<DirectSender> direct_;
  std::set<ChunkPlace> unanswered_;
  // The time of the last chunk sent or acknowledged, or of a question.
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point busy_at_ = std::chrono::steady_clock::now();
};

}  // namespace topsctl

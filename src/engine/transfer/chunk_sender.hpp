// One connection of an upload: sends chunks, and hears what became of them.
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

// Of one thread. What it is made of must outlive it.
class ChunkSender {
 public:
  // What was sent may still be on its way.
  static constexpr std::chrono::minutes longest_silence = std::chrono::minutes(10);

  // `member`: null without a relay, and for all connections but the first. `timeout`: how long what
  // was sent may stay without an answer.
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

  // Sends what nobody else sends, until all is verified. Throws Error; what has no answer by then
  // can be put back.
  void send();
  // Lets the far end wait for a link of its own from here, at the address where it is reached, by
  // which then all goes that nobody else has begun. Whether it waits.
  bool send_directly(const std::string& address, const LinkWish& wish);
  // That link; null: none is tried.
  std::shared_ptr<DirectSender> direct() const { return direct_; }
  // Lets another host bring what it can; what it did not bring is put back.
  void receive_relayed();
  // Serves the one behind us until it wants nothing more.
  void serve_follower();
  // The next frame that is none of the chunks and the relay. Throws Error if it is of another kind.
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
  Bell bell_;  // rung when others have changed what this one looks at
  ChunkWork::Route route_ = ChunkWork::Route::sent;
  bool is_relay_false_ = false;  // it brought something else than it should
  std::shared_ptr<DirectSender> direct_;
  std::set<ChunkPlace> unanswered_;
  // When something was last sent or heard.
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point busy_at_ = std::chrono::steady_clock::now();
};

}  // namespace topsctl

// Sends chunks of an upload to the remote host over a separate link, beside SSH.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>

#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/engine/transfer/chunk_work.hpp"
#include "topsctl/engine/transfer/rate_limit.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// Time for the remote to accept a connection, and the same time for the key exchange.
inline constexpr std::chrono::milliseconds direct_patience(300);

struct DirectPlace {
  std::string address;  // numeric
  std::uint16_t port = 0;
  std::string key;
  unsigned links = 1;
  unsigned lanes = 1;  // how many chunks at once it likes best
};

// Connects in its own threads, and sends chunks that no other sender sends. Acknowledgements come
// over SSH. The constructor's arguments must outlive it. If one link is lost, all are given up.
class DirectSender {
 public:
  // `owner` is level when no more can be expected of it.
  DirectSender(ChunkWork& work, RateLimit& limit, DirectPlace there, const Bell& owner);
  ~DirectSender();
  DirectSender(const DirectSender&) = delete;
  DirectSender& operator=(const DirectSender&) = delete;

  // Whether the remote is reached; waits until that is known, at most for `patience`.
  bool is_reached(std::chrono::milliseconds patience);
  // Whether it sends; false before a link is connected, and after a link is lost.
  bool is_sending() const;
  // Whether no link was connected, or all have ended. Throws the error that ended it, except link
  // errors.
  bool has_ended() const;
  // Whether that chunk was sent by this object.
  bool take_ack(const ChunkPlace& place);
  // Call when no more acknowledgements can arrive: other senders send the chunks.
  void put_back();

 private:
  struct Link {
    Bell bell;
    PskTlsLink* link = nullptr;
    std::thread thread;
  };

  void run(Link& own);
  void send_all(Link& own, PskTlsLink& link);
  bool is_given_up() const;
  void give_up();
  // Counts a link that was connected, could not be connected, or has ended.
  void count(int connecting, int sending, std::exception_ptr failure = {});

  ChunkWork& work_;
  RateLimit& limit_;
  const DirectPlace there_;
  const Bell& owner_;
  mutable std::mutex mutex_;  // guards the following members
  std::condition_variable has_changed_;
  int connecting_ = 0;
  int sending_ = 0;
  bool was_reached_ = false;
  bool is_given_up_ = false;
  std::exception_ptr failure_;
  std::set<ChunkPlace> unanswered_;
  std::list<Link> links_;
};

// The bytes of a chunk, or of several interleaved ones, with their headers, in pieces. Throws
// Error{bad_bundle} for a file that has changed.
void read_chunks(const ChunkWork& work, RateLimit& limit, std::span<const ChunkPlace> places,
                 const std::function<void(std::string_view)>& send);

}  // namespace topsctl

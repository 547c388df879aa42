// Connections between two machines that have a key in common for one run: TLS 1.3 by that key alone
// (RFC 8446, 2.2 and 4.2.11), without certificates, and with a fresh Diffie-Hellman exchange.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/waiting.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace topsctl {

inline constexpr std::size_t sealed_key_bytes = 32;
inline constexpr std::chrono::milliseconds usual_handshake(5000);

// One connection. Of one thread, but for abort().
class PskTlsLink {
 public:
  // Throws ConnectionLost if nobody answers there within the time, or has not agreed on a key when
  // the other one is over, too. `address` is numeric.
  static std::unique_ptr<PskTlsLink> connect(const std::string& address, std::uint16_t port,
                                             const std::string& key,
                                             std::chrono::milliseconds timeout,
                                             std::chrono::milliseconds handshake = usual_handshake);
  ~PskTlsLink();
  PskTlsLink(const PskTlsLink&) = delete;
  PskTlsLink& operator=(const PskTlsLink&) = delete;

  // All of it. Throws ConnectionLost.
  void write(std::string_view bytes);
  // Some bytes into `bytes`, and how many; 0 once the other side has ended it in order. Throws
  // ConnectionLost.
  std::size_t read(std::span<char> bytes);
  // Tells the other side that this is all.
  void finish();
  // Of one that is only written to: readable when the other side is gone.
  int descriptor() const { return socket_.get(); }
  // From any thread: whatever waits here ends with ConnectionLost.
  void abort();

 private:
  friend class PskTlsListener;
  enum class Side { client, server };
  // Throws ConnectionLost unless the other side has the key, or if the descriptor `waker` becomes
  // readable before it has shown that (-1: none).
  PskTlsLink(Descriptor socket, const std::string& key, Side side, const WaitLimit& limit,
             int waker);
  void shake_hands(const WaitLimit& limit, int waker);
  [[noreturn]] void lose(const std::string& act) const;

  std::string key_;
  Descriptor socket_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
};

// Whom to wait for, where and for how long.
struct PskTlsWait {
  std::string address;  // numeric, of this machine
  std::string key;
  std::uint16_t first_port = 0;  // a free one up to the last; both 0: any
  std::uint16_t last_port = 0;
  std::string peer = {};        // the numeric address from which it comes; empty: from any
  std::int64_t timeout_ms = 0;  // 0: as long as it takes
};

// Waits for the one who has the key.
class PskTlsListener {
 public:
  // Throws Error{host_unfit}.
  explicit PskTlsListener(PskTlsWait wait);
  std::uint16_t port() const { return port_; }
  // Strangers are turned away, each after five seconds at most. Throws ConnectionLost once it was
  // aborted, or the time is over.
  std::unique_ptr<PskTlsLink> accept();
  // From any thread, and for good.
  void abort();

 private:
  PskTlsWait wait_;
  WaitLimit limit_;
  Descriptor socket_;
  Bell end_;
  std::uint16_t port_ = 0;
};

}  // namespace topsctl

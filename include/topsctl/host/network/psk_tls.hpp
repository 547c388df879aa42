// Connections between two hosts that share a key for one run: TLS 1.3 with only a pre-shared key
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

// One connection. For one thread, except abort().
class PskTlsLink {
 public:
  // Throws ConnectionLost if the peer does not answer within `timeout`, or the handshake is not
  // complete within `handshake`. `address` is numeric.
  static std::unique_ptr<PskTlsLink> connect(const std::string& address, std::uint16_t port,
                                             const std::string& key,
                                             std::chrono::milliseconds timeout,
                                             std::chrono::milliseconds handshake = usual_handshake);
  ~PskTlsLink();
  PskTlsLink(const PskTlsLink&) = delete;
  PskTlsLink& operator=(const PskTlsLink&) = delete;

  // Writes all bytes. Throws ConnectionLost.
  void write(std::string_view bytes);
  // Reads some bytes into `bytes` and returns their number; 0 after the peer closed the connection
  // properly. Throws ConnectionLost.
  std::size_t read(std::span<char> bytes);
  // Signals the end of the data to the peer.
  void finish();
  // For a connection that is only written to: readable when the peer is gone.
  int descriptor() const { return socket_.get(); }
  // From any thread: a waiting call throws ConnectionLost.
  void abort();

 private:
  friend class PskTlsListener;
  enum class Side { client, server };
  // Throws ConnectionLost unless the peer proves the key, or if the descriptor `waker` becomes
  // readable before that (-1: none).
  PskTlsLink(Descriptor socket, const std::string& key, Side side, const WaitLimit& limit,
             int waker);
  void shake_hands(const WaitLimit& limit, int waker);
  [[noreturn]] void lose(const std::string& act) const;

  std::string key_;
  Descriptor socket_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
};

// The peer, the address and the time limit of a listener.
struct PskTlsWait {
  std::string address;  // numeric, of this host
  std::string key;
  std::uint16_t first_port = 0;  // a free one in this range; both 0: any
  std::uint16_t last_port = 0;
  std::string peer = {};        // numeric address of the peer; empty: any
  std::int64_t timeout_ms = 0;  // 0: no limit
};

// Listens for the peer that has the key.
class PskTlsListener {
 public:
  // Throws Error{host_unfit}.
  explicit PskTlsListener(PskTlsWait wait);
  std::uint16_t port() const { return port_; }
  // Rejects other peers, each after at most five seconds. Throws ConnectionLost after abort(), or
  // when the time is over.
  std::unique_ptr<PskTlsLink> accept();
  // From any thread; permanent.
  void abort();

 private:
  PskTlsWait wait_;
  WaitLimit limit_;
  Descriptor socket_;
  Bell end_;
  std::uint16_t port_ = 0;
};

}  // namespace topsctl

// TLS 1.3 between hosts of one run, by OpenSSL.
#include "topsctl/host/network/psk_tls.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// OpenSSL encrypts, not the kernel (kTLS): too few hosts have kTLS to test it.
constexpr std::size_t written_bytes = 256U << 10U;  // at once
constexpr std::size_t read_bytes = 64U << 10U;      // so few that they stay in the cache
constexpr std::string_view identity = "topsctl";

struct AddressRelease {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, AddressRelease>;

Addresses resolve(const std::string& address, std::uint16_t port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), concat(port).c_str(), &wanted, &found) != 0)
    throw Error(ErrorCode::host_unfit, format("not a numeric address: {}", in_quotes(address)));
  return Addresses(found);
}

// connect(2) respects it, as does every write; 0: no limit.
void limit_sending(const Descriptor& socket, std::chrono::milliseconds timeout) {
  const auto whole_s = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timeval most{whole_s.count(), std::chrono::microseconds(timeout - whole_s).count()};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

std::uint16_t port_of(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

void set_blocking(const Descriptor& socket, bool is_wanted) {
  const int flags = ::fcntl(socket.get(), F_GETFL);
  ::fcntl(socket.get(), F_SETFL, is_wanted ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

// Dead links are noticed, and small records are not held back.
void tune(const Descriptor& socket) {
  const unsigned user_timeout_ms = 15'000;
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms,
               sizeof user_timeout_ms);
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

// The session for the key; the caller owns it.
SSL_SESSION* session_of(SSL* tls) {
  const auto* key = static_cast<const std::string*>(SSL_get_app_data(tls));
  constexpr std::array<unsigned char, 2> aes_128_gcm_sha256 = {0x13, 0x01};
  const SSL_CIPHER* cipher = SSL_CIPHER_find(tls, aes_128_gcm_sha256.data());
  SSL_SESSION* session = SSL_SESSION_new();
  if (session != nullptr && cipher != nullptr &&
      SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(key->data()),
                                  key->size()) == 1 &&
      SSL_SESSION_set_cipher(session, cipher) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1) {
    return session;
  }
  SSL_SESSION_free(session);
  return nullptr;
}

// Records, of 16 KiB at most, go out many at once.
void collect_records(SSL* tls) {
  BIO* socket = SSL_get_wbio(tls);
  BIO* buffer = BIO_new(BIO_f_buffer());
  if (buffer == nullptr || BIO_set_write_buffer_size(buffer, static_cast<long>(written_bytes)) != 1)
    throw Error(ErrorCode::internal, "OpenSSL is out of memory");
  BIO_up_ref(socket);  // the session gives up the one it has
  SSL_set0_wbio(tls, BIO_push(buffer, socket));
}

int offer_key(SSL* tls, const EVP_MD* /*digest*/, const unsigned char** id, std::size_t* id_size,
              SSL_SESSION** session) {
  *session = session_of(tls);
  *id = reinterpret_cast<const unsigned char*>(identity.data());
  *id_size = identity.size();
  return *session != nullptr ? 1 : 0;
}

int find_key(SSL* tls, const unsigned char* id, std::size_t id_size, SSL_SESSION** session) {
  const bool is_ours = std::string_view(reinterpret_cast<const char*>(id), id_size) == identity;
  *session = is_ours ? session_of(tls) : nullptr;
  return 1;
}

}  // namespace

PskTlsLink::PskTlsLink(Descriptor socket, const std::string& key, Side side, const WaitLimit& limit,
                       int waker)
    : key_(key),
      socket_(std::move(socket)),
      context_(SSL_CTX_new(TLS_method()), SSL_CTX_free),
      tls_(nullptr, SSL_free) {
  tune(socket_);
  if (!context_ || SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256") != 1) {
    throw Error(ErrorCode::internal, "OpenSSL does not support TLS 1.3");
  }
  SSL_CTX_set_num_tickets(context_.get(), 0);
  // Many records at once, or each would cost two reads.
  SSL_CTX_set_read_ahead(context_.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context_.get(), read_bytes);
  SSL_CTX_set_psk_use_session_callback(context_.get(), offer_key);
  SSL_CTX_set_psk_find_session_callback(context_.get(), find_key);
  tls_.reset(SSL_new(context_.get()));
  if (!tls_ || SSL_set_app_data(tls_.get(), &key_) != 1 ||
      SSL_set_fd(tls_.get(), socket_.get()) != 1) {
    throw Error(ErrorCode::internal, "OpenSSL is out of memory");
  }
  collect_records(tls_.get());
  // A server may ignore the key and present a certificate: no authority is known, so it is always
  // rejected.
  if (side == Side::client) {
    SSL_set_verify(tls_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_set_connect_state(tls_.get());
  } else {
    SSL_set_accept_state(tls_.get());
  }
  shake_hands(limit, waker);
  // In TLS 1.3, OpenSSL reports a session by a pre-shared key as a resumed one.
  if (SSL_session_reused(tls_.get()) != 1) lose("agree on a key with");
}

// The limit is for the whole handshake: a peer that sends a byte now and then gets no more time.
void PskTlsLink::shake_hands(const WaitLimit& limit, int waker) {
  set_blocking(socket_, false);
  for (int result = SSL_do_handshake(tls_.get()); result != 1;
       result = SSL_do_handshake(tls_.get())) {
    const int wanted = SSL_get_error(tls_.get(), result);
    if (wanted != SSL_ERROR_WANT_READ && wanted != SSL_ERROR_WANT_WRITE)
      lose("agree on a key with");
    const short direction = wanted == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    std::array<pollfd, 3> watched = {
        {{socket_.get(), direction, 0}, {waker, POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), limit.poll_timeout());
    throw_if_interrupted();
    if (limit.is_over() || watched[1].revents != 0) lose("agree on a key with");
  }
  set_blocking(socket_, true);
}

PskTlsLink::~PskTlsLink() = default;

std::unique_ptr<PskTlsLink> PskTlsLink::connect(const std::string& address, std::uint16_t port,
                                                const std::string& key,
                                                std::chrono::milliseconds timeout,
                                                std::chrono::milliseconds handshake) {
  const Addresses found = resolve(address, port);
  Descriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) throw system_error(errno, "make", "a socket", ErrorCode::unreachable);
  limit_sending(socket, timeout);
  if (::connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0) {
    const int reason = errno == EINPROGRESS ? ETIMEDOUT : errno;
    throw ConnectionLost(
        system_error(reason, "reach", format("{} port {}", address, port)).message());
  }
  limit_sending(socket, std::chrono::milliseconds(0));
  return std::unique_ptr<PskTlsLink>(
      new PskTlsLink(std::move(socket), key, Side::client, WaitLimit(handshake.count()), -1));
}

void PskTlsLink::write(std::string_view bytes) {
  std::size_t written = 0;
  while (!bytes.empty()) {
    if (SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written) != 1) lose("send to");
    bytes.remove_prefix(written);
  }
  if (BIO_flush(SSL_get_wbio(tls_.get())) != 1) lose("send to");
}

std::size_t PskTlsLink::read(std::span<char> bytes) {
  std::size_t got = 0;
  if (SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &got) == 1) return got;
  if (SSL_get_error(tls_.get(), 0) == SSL_ERROR_ZERO_RETURN) return 0;
  lose("read from");
}

void PskTlsLink::finish() {
  SSL_shutdown(tls_.get());
  BIO_flush(SSL_get_wbio(tls_.get()));
}

void PskTlsLink::abort() {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

void PskTlsLink::lose(const std::string& act) const {
  throw ConnectionLost(format("cannot {} another host: the connection is lost", act));
}

PskTlsListener::PskTlsListener(PskTlsWait wait)
    : wait_(std::move(wait)),
      limit_(wait_.timeout_ms == 0 ? WaitLimit() : WaitLimit(wait_.timeout_ms)) {
  int reason = EADDRINUSE;
  for (unsigned port = wait_.first_port; port <= wait_.last_port && reason == EADDRINUSE; ++port) {
    const Addresses found = resolve(wait_.address, static_cast<std::uint16_t>(port));
    socket_ = Descriptor(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // Allows binding although an earlier connection is still in TIME_WAIT.
    const int yes = 1;
    const bool waits =
        socket_.is_open() &&
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        ::bind(socket_.get(), found->ai_addr, found->ai_addrlen) == 0 &&
        ::listen(socket_.get(), 4) == 0;
    reason = waits ? 0 : errno;
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (reason != 0 ||
      ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    throw system_error(reason != 0 ? reason : errno, "listen on", wait_.address,
                       ErrorCode::host_unfit);
  }
  port_ = port_of(bound);
}

std::unique_ptr<PskTlsLink> PskTlsListener::accept() {
  for (;;) {
    wait_for({socket_.get(), end_.descriptor()}, limit_);
    throw_if_interrupted();
    if (limit_.is_over() || wait_for({end_.descriptor()}, WaitLimit(0)))
      throw ConnectionLost("no longer waiting for connections");
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open()) {
      if (errno == EINTR || errno == ECONNABORTED || errno == EAGAIN) continue;
      throw ConnectionLost("no longer waiting for connections");
    }
    if (!wait_.peer.empty() && peer_address(socket.get()) != wait_.peer) continue;
    try {
      return std::unique_ptr<PskTlsLink>(
          new PskTlsLink(std::move(socket), wait_.key, PskTlsLink::Side::server,
                         WaitLimit(usual_handshake.count()), end_.descriptor()));
    } catch (const ConnectionLost&) {
      // A stranger.
    }
  }
}

void PskTlsListener::abort() {
  end_.ring();  // for a handshake in progress
  ::shutdown(socket_.get(), SHUT_RDWR);
}

}  // namespace topsctl

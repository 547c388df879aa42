// A TLS server that has a certificate of its own making and no key in common with anybody: as
// whoever stands between two hosts of a relay would be.
#pragma once

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

class CertifiedServer {
 public:
  CertifiedServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), any, size) != 0 || ::listen(socket_.get(), 1) != 0 ||
        ::getsockname(socket_.get(), any, &size) != 0) {
      throw std::runtime_error("no port to listen on");
    }
    port_ = ntohs(address.sin_port);
    heard_ = std::async(std::launch::async, [this] { return serve(); });
  }
  ~CertifiedServer() { ::shutdown(socket_.get(), SHUT_RDWR); }
  CertifiedServer(const CertifiedServer&) = delete;
  CertifiedServer& operator=(const CertifiedServer&) = delete;

  std::uint16_t port() const { return port_; }
  // What the first client sent it under the seal, once that client is gone.
  std::string heard() { return heard_.get(); }

 private:
  template <typename T, void release(T*)>
  struct Release {
    void operator()(T* value) const { release(value); }
  };
  template <typename T, void release(T*)>
  using Owned = std::unique_ptr<T, Release<T, release>>;

  static void certify(SSL_CTX* context) {
    const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    const Owned<X509, X509_free> certificate(X509_new());
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    if (X509_sign(certificate.get(), key.get(), nullptr) == 0 ||
        SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
      throw std::runtime_error("no certificate");
    }
  }

  std::string serve() const {
    const Descriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const Owned<SSL_CTX, SSL_CTX_free> context(SSL_CTX_new(TLS_server_method()));
    certify(context.get());
    const Owned<SSL, SSL_free> tls(SSL_new(context.get()));
    SSL_set_fd(tls.get(), client.get());
    std::string heard;
    std::string piece(4096, '\0');
    if (SSL_accept(tls.get()) != 1) return heard;
    for (int got = 1; got > 0;) {
      got = SSL_read(tls.get(), piece.data(), static_cast<int>(piece.size()));
      if (got > 0) heard.append(piece, 0, static_cast<std::size_t>(got));
    }
    return heard;
  }

  Descriptor socket_;
  std::uint16_t port_ = 0;
  std::future<std::string> heard_;
};

}  // namespace topsctl

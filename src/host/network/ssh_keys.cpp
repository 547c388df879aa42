// Offers keys one at a time; libssh would offer them all in its own order.
#include "host/network/ssh_keys.hpp"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using Import = int (*)(const char*, ssh_key*);

// libssh would block on a pipe.
bool is_readable(const std::string& file) {
  std::error_code failure;
  return std::filesystem::is_regular_file(file, failure) && ::access(file.c_str(), R_OK) == 0;
}

SshKey imported(Import import, const std::string& file) {
  ssh_key key = nullptr;
  return SshKey(is_readable(file) && import(file.c_str(), &key) == SSH_OK ? key : nullptr);
}

// The key in wire format.
std::string blob_of(const SshKey& key) {
  char* base64 = nullptr;
  if (!key || ssh_pki_export_pubkey_base64(key.get(), &base64) != SSH_OK) return {};
  const std::string text = base64;
  ssh_string_free_char(base64);
  std::string blob(text.size(), '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(blob.data()),
                      reinterpret_cast<const unsigned char*>(text.data()), int(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  blob.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - padding);
  return blob;
}

// The data after the first field of a key in wire format.
std::string_view behind_field(std::string_view blob) {
  if (blob.size() < 4) return {};
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size = size << 8U | static_cast<unsigned char>(blob[i]);
  return blob.substr(std::min(4 + size, blob.size()));
}

// A certificate has a nonce between its kind and the key; libssh compares the kinds.
bool is_certificate_of(const SshKey& certificate, const SshKey& key) {
  const std::string of_certificate = blob_of(certificate);
  const std::string of_key = blob_of(key);
  const std::string_view fields = behind_field(of_key);
  return !fields.empty() && behind_field(behind_field(of_certificate)).starts_with(fields);
}

struct Offer {
  std::string file;
  SshKey key;                        // public; empty: only the private key contains it
  std::vector<SshKey> certificates;  // for it
};

class KeyLogIn {
 public:
  KeyLogIn(ssh_session session, const KeyWishes& wishes, ssh_auth_callback ask, void* asker)
      : session_(session), wishes_(wishes), ask_(ask), asker_(asker) {
    for (const std::string& file : wishes.files) offers_.push_back(offer_of(file));
  }

  int run() {
    int result = with_agent();
    for (const Offer& offer : offers_) {
      if (is_final(result)) return result;
      result = with_file(offer);
    }
    return result;
  }

 private:
  static bool is_final(int result) {
    return result == SSH_AUTH_SUCCESS || result == SSH_AUTH_PARTIAL || result == SSH_AUTH_ERROR;
  }

  Offer offer_of(const std::string& file) const {
    Offer offer{file, imported(ssh_pki_import_pubkey_file, concat(file, ".pub")), {}};
    // A private key in the new format has a readable public part; the file may also be a public
    // key.
    if (!offer.key) offer.key = imported(ssh_pki_import_pubkey_file, file);
    if (!offer.key) return offer;
    std::vector<std::string> files = {concat(file, "-cert.pub")};
    files.insert(files.end(), wishes_.certificates.begin(), wishes_.certificates.end());
    for (const std::string& each : files) {
      SshKey certificate = imported(ssh_pki_import_cert_file, each);
      if (certificate && is_certificate_of(certificate, offer.key))
        offer.certificates.push_back(std::move(certificate));
    }
    return offer;
  }

  int with_agent() {
    std::vector<std::string> wanted;
    for (const Offer& offer : offers_) {
      for (const SshKey& certificate : offer.certificates) wanted.push_back(blob_of(certificate));
      wanted.push_back(blob_of(offer.key));
    }
    std::erase(wanted, std::string());
    AgentFilter agent(wishes_.agent, wanted, wishes_.others);
    if (!agent.is_open() || ssh_set_agent_socket(session_, agent.take_socket()) != SSH_OK)
      return SSH_AUTH_DENIED;
    return ssh_userauth_agent(session_, nullptr);
  }

  int with_file(const Offer& offer) {
    int result = SSH_AUTH_DENIED;
    for (const SshKey& certificate : offer.certificates) {
      result = ssh_userauth_try_publickey(session_, nullptr, certificate.get());
      if (result == SSH_AUTH_SUCCESS) result = sign(offer.file, certificate.get());
      if (is_final(result)) return result;
    }
    if (offer.key) {
      result = ssh_userauth_try_publickey(session_, nullptr, offer.key.get());
      if (result != SSH_AUTH_SUCCESS) return result;
    }
    return sign(offer.file, nullptr);
  }

  int sign(const std::string& file, ssh_key certificate) {
    if (!is_readable(file)) return SSH_AUTH_DENIED;
    ssh_key raw = nullptr;
    if (ssh_pki_import_privkey_file(file.c_str(), nullptr, ask_, asker_, &raw) != SSH_OK)
      return SSH_AUTH_DENIED;
    const SshKey key(raw);
    if (certificate != nullptr && ssh_pki_copy_cert_to_privkey(certificate, key.get()) != SSH_OK)
      return SSH_AUTH_DENIED;
    return ssh_userauth_publickey(session_, nullptr, key.get());
  }

  ssh_session session_;
  const KeyWishes& wishes_;
  ssh_auth_callback ask_;
  void* asker_;
  std::vector<Offer> offers_;
};

}  // namespace

int log_in_with_keys(ssh_session session, const KeyWishes& wishes, ssh_auth_callback ask,
                     void* asker) {
  return KeyLogIn(session, wishes, ask, asker).run();
}

}  // namespace topsctl

// Digests through libcrypto's EVP interface, whose algorithms are looked up once.
#include "topsctl/host/python/record_digest.hpp"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/file_access.hpp"

namespace topsctl {

namespace {

struct Freed {
  void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

[[noreturn]] void fail() {
  throw Error(ErrorCode::internal, "libcrypto cannot compute digests");
}

}  // namespace

struct RecordDigest::State {
  std::unique_ptr<EVP_MD_CTX, Freed> context{EVP_MD_CTX_new()};
  std::unique_ptr<EVP_MD, Freed> sha256{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD, Freed> sha384;
  std::unique_ptr<EVP_MD, Freed> sha512;

  const EVP_MD* algorithm(std::string_view name) {
    if (name == "sha256") return sha256.get();
    if (name == "sha384") return fetched(sha384, "SHA384");
    if (name == "sha512") return fetched(sha512, "SHA512");
    return nullptr;
  }
  static const EVP_MD* fetched(std::unique_ptr<EVP_MD, Freed>& kept, const char* name) {
    if (kept == nullptr) kept.reset(EVP_MD_fetch(nullptr, name, nullptr));
    if (kept == nullptr) fail();
    return kept.get();
  }
};

RecordDigest::RecordDigest() : state_(std::make_unique<State>()) {
  if (state_->context == nullptr || state_->sha256 == nullptr) fail();
}
RecordDigest::~RecordDigest() = default;

bool RecordDigest::begin(std::string_view algorithm) {
  const EVP_MD* chosen = state_->algorithm(algorithm);
  if (chosen == nullptr) return false;
  if (EVP_DigestInit_ex2(state_->context.get(), chosen, nullptr) != 1) fail();
  return true;
}

void RecordDigest::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) fail();
}

std::string RecordDigest::base64url() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) fail();
  std::array<unsigned char, 4 * ((EVP_MAX_MD_SIZE + 2) / 3) + 1> encoded{};
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  std::string out(encoded.begin(), encoded.begin() + length);
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  out.erase(std::min(out.find('='), out.size()));
  return out;
}

std::optional<std::string> recorded_digest(const std::filesystem::path& file,
                                           std::string_view algorithm) {
  if (algorithm == "sha256") return digest_of_file(file).base64url();
  RecordDigest digest;
  if (!digest.begin(algorithm)) return std::nullopt;
  const Descriptor input = open_input(file);
  std::vector<char> buffer(64U << 10U);
  while (true) {
    const ssize_t got = input.is_open() ? ::read(input.get(), buffer.data(), buffer.size()) : -1;
    if (got < 0 && input.is_open() && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", file.string());
    if (got == 0) return digest.base64url();
    digest.update({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace topsctl

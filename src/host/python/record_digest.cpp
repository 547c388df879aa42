// Wheels use SHA-256; other digests go through libcrypto's EVP interface.
#include "topsctl/host/python/record_digest.hpp"

#include <openssl/evp.h>
#include <unistd.h>

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
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

[[noreturn]] void fail() {
  throw Error(ErrorCode::internal, "libcrypto cannot compute digests");
}

}  // namespace

struct RecordDigest::State {
  std::optional<Sha256> sha256;  // for that algorithm; else the context
  std::unique_ptr<EVP_MD_CTX, Freed> context;
};

RecordDigest::RecordDigest() : state_(std::make_unique<State>()) {}
RecordDigest::~RecordDigest() = default;

bool RecordDigest::begin(std::string_view algorithm) {
  state_->sha256.reset();
  if (algorithm == "sha256") {
    state_->sha256.emplace();
    return true;
  }
  const EVP_MD* const chosen = algorithm == "sha384"   ? EVP_sha384()
                               : algorithm == "sha512" ? EVP_sha512()
                                                       : nullptr;
  if (chosen == nullptr) return false;
  if (state_->context == nullptr) state_->context.reset(EVP_MD_CTX_new());
  if (state_->context == nullptr) fail();
  if (EVP_DigestInit_ex2(state_->context.get(), chosen, nullptr) != 1) fail();
  return true;
}

void RecordDigest::update(std::string_view bytes) {
  if (state_->sha256) {
    state_->sha256->update(bytes);
  } else if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) {
    fail();
  }
}

void RecordDigest::update_each(std::span<const Piece> pieces) {
  std::vector<Sha256::Piece> side_by_side;
  for (const auto& [digest, bytes] : pieces) {
    if (digest->state_->sha256)
      side_by_side.push_back({&*digest->state_->sha256, bytes});
    else
      digest->update(bytes);
  }
  Sha256::update_each(side_by_side);
}

std::string RecordDigest::base64url() {
  if (state_->sha256) return state_->sha256->base64url();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) fail();
  return base64url_text({reinterpret_cast<const char*>(digest.data()), size});
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

// MD5 through libcrypto's EVP interface, a table-driven CRC-32C, and the digests of files.
#include "topsctl/host/system/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/file_access.hpp"

namespace topsctl {

namespace {

std::string finished(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context, digest.data(), &size) != 1) {
    throw Error(ErrorCode::internal, "libcrypto cannot finish a digest");
  }
  return {digest.begin(), digest.begin() + size};
}

std::string hex_of(std::string_view digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char c : digest) {
    const auto byte = static_cast<unsigned char>(c);
    out += {digits[byte >> 4U], digits[byte & 15U]};
  }
  return out;
}

}  // namespace

Md5::Md5() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr ||
      EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_md5(), nullptr) != 1) {
    throw Error(ErrorCode::internal, "libcrypto does not support MD5");
  }
}

Md5::~Md5() {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_));
}

void Md5::update(std::string_view bytes) {
  if (EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) != 1) {
    throw Error(ErrorCode::internal, "libcrypto cannot update an MD5 digest");
  }
}

std::string Md5::hex() {
  std::string text = hex_of(finished(static_cast<EVP_MD_CTX*>(context_)));
  // Without a type the present one is kept, which avoids a look-up.
  if (EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), nullptr, nullptr) != 1) {
    throw Error(ErrorCode::internal, "libcrypto cannot start an MD5 digest");
  }
  return text;
}

std::string hex_text(std::string_view bytes) {
  return hex_of(bytes);
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  const auto value = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = value(text[i]);
    const int low = value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string base64url_text(std::string_view bytes) {
  std::vector<unsigned char> encoded(4 * ((bytes.size() + 2) / 3) + 1);
  const int size =
      EVP_EncodeBlock(encoded.data(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  std::string out(encoded.begin(), encoded.begin() + size);
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  out.erase(std::min(out.find('='), out.size()));
  return out;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

namespace {

Sha256 digest_of_rest(const Descriptor& input, const std::string& shown) {
  Sha256 digest;
  // Small enough to stay in the cache and to be allocated without a system call; not zeroed.
  constexpr std::size_t block = 64U << 10U;
  const auto buffer = std::make_unique_for_overwrite<char[]>(block);
  for (;;) {
    const ssize_t got = ::read(input.get(), buffer.get(), block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", shown);
    if (got == 0) return digest;
    digest.update({buffer.get(), static_cast<std::size_t>(got)});
  }
}

}  // namespace

Sha256 digest_of_file(const std::filesystem::path& file) {
  const Descriptor input = open_input(file);
  if (!input.is_open()) throw system_error(errno, "read", file.string());
  return digest_of_rest(input, file.string());
}

std::string sha256_of_file(const std::filesystem::path& file) {
  return digest_of_file(file).hex();
}

std::string sha256_of_file(const Descriptor& file, const std::string& shown) {
  return digest_of_rest(file, shown).hex();
}

namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1U) ^ ((value & 1U) != 0 ? 0x82F63B78U : 0U);
    table[i] = value;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : bytes) {
    crc = (crc >> 8U) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
  }
  return ~crc;
}

}  // namespace topsctl

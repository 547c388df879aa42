// MD5, CRC-32C, and SHA-256 of texts and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/sha256.hpp"

namespace topsctl {

// MD5 (RFC 1321), as in a deb's md5sums: detects damage, not forgery.
class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;

  void update(std::string_view bytes);
  std::string hex();  // lower case; ends the digest and begins another

 private:
  void* context_;
};

// Two lower-case digits per byte, and the reverse; nothing if the text is not such pairs.
std::string hex_text(std::string_view bytes);
std::optional<std::string> bytes_of_hex(std::string_view text);
std::string base64url_text(std::string_view bytes);  // RFC 4648, section 5, without padding

std::string sha256_of(std::string_view bytes);
// The digest of a whole file, read in pieces; throws Error if it cannot be read.
Sha256 digest_of_file(const std::filesystem::path& file);
std::string sha256_of_file(const std::filesystem::path& file);
// The same for an open file, from its current position; `shown` is its name in errors.
std::string sha256_of_file(const Descriptor& file, const std::string& shown);

// CRC-32C (RFC 3720, appendix B.4).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace topsctl

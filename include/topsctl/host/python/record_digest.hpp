// The digests that RECORD files may use: SHA-256 and stronger ones of its family.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace topsctl {

// Consecutive digests by libcrypto; for one thread.
class RecordDigest {
 public:
  RecordDigest();
  ~RecordDigest();
  RecordDigest(const RecordDigest&) = delete;
  RecordDigest& operator=(const RecordDigest&) = delete;

  // Begins a digest by "sha256", "sha384" or "sha512"; false for any other: PEP 427 requires
  // SHA-256 or better.
  bool begin(std::string_view algorithm);
  void update(std::string_view bytes);
  // An active digest, and its next bytes.
  struct Piece {
    RecordDigest* digest;
    std::string_view bytes;
  };
  // Several different digests; see Sha256::update_each().
  static void update_each(std::span<const Piece> pieces);
  std::string base64url();  // without padding; ends the digest

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of a file in RECORD's form; nothing for another algorithm. Throws Error for a file
// that cannot be read.
std::optional<std::string> recorded_digest(const std::filesystem::path& file,
                                           std::string_view algorithm);

}  // namespace topsctl

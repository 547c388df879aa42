// SHA-256 of one text, or of several in parallel lanes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace topsctl {

// SHA-256 (FIPS 180-4) by libcrypto.
class Sha256 {
 public:
  static constexpr unsigned most_lanes = 16;

  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(std::string_view bytes);
  // A digest and its next bytes.
  struct Piece {
    Sha256* digest;
    std::string_view bytes;
  };
  // Several different digests. For pieces of the same length, in whole blocks of 64 bytes, the
  // processor computes several digests interleaved, which hides latency.
  static void update_each(std::span<const Piece> pieces);
  // The number of parallel digests with the least time per digest, at most `most_lanes`; 1:
  // parallel is not faster.
  static unsigned lanes();
  // Whether this number of digests is faster in parallel than in sequence.
  static bool pay_side_by_side(std::size_t count);

  std::string hex();        // lower case; ends the digest
  std::string base64url();  // without padding, as in a wheel's RECORD; ends the digest
  std::string bytes();      // 32 bytes; ends the digest

 private:
  struct State;
  static std::size_t take_lanes(std::span<const Piece> pieces);

  std::unique_ptr<State> state_;
};

}  // namespace topsctl

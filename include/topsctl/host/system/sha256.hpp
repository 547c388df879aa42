// SHA-256, of one text and of several side by side.
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
  // Several digests, none of them twice. As far as the pieces are of the same length, in whole
  // blocks of 64 bytes, a processor that waits for one of them goes on with another.
  static void update_each(std::span<const Piece> pieces);
  // How many digests side by side take the least time for each, at most `most_lanes`; 1: they do
  // not pay.
  static unsigned lanes();
  // Whether so many take less time side by side than one after the other.
  static bool pay_side_by_side(std::size_t count);

  std::string hex();        // lower case; ends the digest
  std::string base64url();  // without padding, as a wheel's RECORD has it; ends the digest
  std::string bytes();      // 32 of them; ends the digest

 private:
  struct State;
  static std::size_t take_lanes(std::span<const Piece> pieces);

  std::unique_ptr<State> state_;
};

}  // namespace topsctl

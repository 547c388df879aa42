// SHA-256 of several texts side by side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Texts of the same length: a processor that waits for one of them goes on with another.
class Sha256Lanes {
 public:
  static constexpr unsigned most = 8;
  // How many of them this processor takes in the least time for each; 1: they do not pay.
  static unsigned best();

  // Whether the libcrypto that is linked has what it takes; else this cannot be made.
  static bool is_available();
  // `count`: from 1 to `most`.
  explicit Sha256Lanes(unsigned count);
  // The next bytes of each text, as many of each; of whole blocks of 64 bytes. Throws
  // Error{internal} for others.
  void update(std::span<const std::string_view> pieces);
  // 32 bytes of each; ends the digests.
  std::vector<std::string> bytes();

 private:
  // The words of the state (FIPS 180-4, 6.2), each of all lanes.
  struct alignas(32) State {
    std::array<std::array<std::uint32_t, most>, 8> words;
  };

  void take(std::span<const std::string_view> pieces);

  unsigned count_;
  std::uint64_t size_ = 0;  // bytes of each until now
  State state_;
};

}  // namespace topsctl

// What the harnesses share: choices taken from an input, and its bytes in pieces of changing size.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "topsctl/base/error.hpp"
#include "topsctl/host/archive/source.hpp"

namespace topsctl::fuzz {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The last byte of an input, so that its beginning stays what a file of that kind begins with.
inline unsigned choice(std::string_view& input) {
  if (input.empty()) return 0;
  const unsigned char last = static_cast<unsigned char>(input.back());
  input.remove_suffix(1);
  return last;
}

// The bytes in pieces of 1, 2, 4 ... bytes or all at once, as `shape` says.
class Pieces : public Source {
 public:
  Pieces(std::string_view bytes, unsigned shape) : rest_(bytes), shape_(shape) {}

  std::string_view piece() override {
    const std::size_t most = shape_ % 4 == 0 ? rest_.size() : std::size_t{1} << (shape_ % 16U);
    const std::string_view piece = rest_.substr(0, most);
    rest_.remove_prefix(piece.size());
    // Sizes differ from piece to piece where the shape has bits above.
    if (shape_ >= 64) shape_ = (shape_ * 5U + 3U) % 256U | 64U;
    return piece;
  }

 private:
  std::string_view rest_;
  unsigned shape_;
};

// Every refusal says what and how to proceed; anything but an Error that gets out is a crash.
inline void expect_told(const Error& error) {
  if (error.message().empty() || error.hint().empty()) std::abort();
}

inline void expect(bool is_so, int line = __builtin_LINE()) {
  if (is_so) return;
  std::fprintf(stderr, "the expectation of line %d is not met\n", line);
  std::abort();
}

}  // namespace topsctl::fuzz

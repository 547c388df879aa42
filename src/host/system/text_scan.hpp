// Searches for many texts at once, in one step per byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The automaton of Aho and Corasick (Communications of the ACM 18, 1975). The case of ASCII letters
// does not matter. Safe to use from several threads at once.
class TextScan {
 public:
  // Several texts may have the same owner. Each is in lower case, and not empty.
  struct Text {
    std::string text;
    std::uint32_t owner = 0;
  };
  // Throws Error{internal} if the automaton would have 2^31 transitions or more.
  explicit TextScan(const std::vector<Text>& texts);

  // Returns the end of the first text at or after `from` whose owner is below `most`, or npos.
  std::size_t find(std::string_view text, std::size_t from, std::uint32_t most) const;

  // Calls found(owner) for each occurrence of each text.
  template <class Found>
  void each_in(std::string_view text, Found found) const {
    std::uint32_t state = 0;
    for (const char byte : text) {
      const std::uint32_t step = next(state, byte);
      state = step & ~hit;
      if ((step & hit) == 0) continue;
      for (std::uint32_t at = state / width_; at != 0; at = nodes_[at].shorter) {
        for (std::uint32_t i = nodes_[at].begin; i != nodes_[at].end; ++i) found(owners_[i]);
      }
    }
  }

 private:
  static constexpr std::uint32_t hit = std::uint32_t{1} << 31U;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Node {
    std::uint32_t begin = 0, end = 0;  // the owners of the text that ends here
    std::uint32_t lowest = none;       // owner of what ends here, shorter texts included
    std::uint32_t shorter = 0;         // the node of the next shorter text that ends here
  };

  std::uint32_t next(std::uint32_t state, char byte) const {
    return next_[state + class_[static_cast<unsigned char>(byte)]];
  }
  // Returns the node of the whole text.
  std::uint32_t add(const std::string& text);
  void link();
  void order(const std::vector<std::uint32_t>& ordered);

  std::array<std::uint8_t, 256> class_{};  // 0: in no text
  std::uint32_t width_ = 1;                // classes
  std::vector<std::uint32_t> next_;        // of a node's number times the width, and a class
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> owners_;
};

}  // namespace topsctl

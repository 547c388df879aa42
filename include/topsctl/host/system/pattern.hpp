// Regular expressions for untrusted text: time grows linearly with the text's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// One expression in RE2's syntax (no back references, no look-around). Texts are bytes, so broken
// UTF-8 is harmless and '.' is one byte. Thread-safe.
class Pattern {
 public:
  // Throws Error{internal} for an invalid expression: patterns come from our own data.
  explicit Pattern(std::string_view expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // Whether it matches anywhere in the text.
  bool matches(std::string_view text) const;
  // The first match at or after `from`.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::optional<Range> find(std::string_view text, std::size_t from) const;
  // The match of its first group there, if not empty.
  std::optional<Range> find_group(std::string_view text, std::size_t from) const;
  // The groups of a match of the whole text; empty for a group that did not take part.
  std::optional<std::vector<std::string>> groups(std::string_view text) const;
  // The text with each match replaced; \1 in `with` is the match of the first group.
  std::string replaced(std::string_view text, std::string_view with) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

// Many expressions searched at once: first by literals of at least 4 characters that each match
// must contain (RE2 computes these), then by the expressions whose literals occur.
class PatternSet {
 public:
  // Throws the errors of Pattern.
  explicit PatternSet(const std::vector<std::string>& expressions);
  ~PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;

  // The indices of those that match anywhere in the text, ascending.
  std::vector<std::size_t> matches(std::string_view text) const;
  // The same in two steps: the indices of possible matches, and a test of one of them. The result
  // is in the room, which one thread can use for many texts.
  struct Room {
    std::vector<std::uint64_t> bits;  // all zero between two calls
    std::vector<std::size_t> found;
  };
  const std::vector<std::size_t>& possible(std::string_view text, Room& room) const;
  bool matches(std::size_t index, std::string_view text) const;

  // Throws Error{internal} for an expression without such a literal.
  void require_texts() const;
  // Returns the end of the first such literal, at or after `from`, of the first `most` expressions;
  // npos if none of them can match. Nearly as fast as reading. `left_out`: nonzero at the indices
  // of expressions to skip; empty: none.
  std::size_t find(std::string_view text, std::size_t from, std::size_t most,
                   const std::vector<char>& left_out = {}) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace topsctl

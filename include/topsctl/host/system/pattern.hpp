// Regular expressions over text that nobody vouches for: time grows with the text's length only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// One expression in RE2's syntax (no back references, no look-around). Texts are taken as bytes, so
// broken UTF-8 does no harm and '.' is one byte. Safe to use from several threads at once.
class Pattern {
 public:
  // Throws Error{internal} for what is no expression, naming it: patterns come from our own data.
  explicit Pattern(std::string_view expression);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // Whether it matches anywhere in the text.
  bool matches(std::string_view text) const;
  // Where it matches first at or behind `from`.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::optional<Range> find(std::string_view text, std::size_t from) const;
  // What its first group matches there, if that is not empty.
  std::optional<Range> find_group(std::string_view text, std::size_t from) const;
  // What its groups match where it matches the whole text; empty for a group that takes no part.
  std::optional<std::vector<std::string>> groups(std::string_view text) const;
  // The text with each match replaced; \1 in `with` is what its first group matched.
  std::string replaced(std::string_view text, std::string_view with) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

// Many expressions that are looked for at once: by texts of at least 4 characters that each of them
// cannot do without (RE2 computes these), then by those alone whose text is there.
class PatternSet {
 public:
  // Throws as Pattern does.
  explicit PatternSet(const std::vector<std::string>& expressions);
  ~PatternSet();
  PatternSet(PatternSet&&) noexcept;
  PatternSet& operator=(PatternSet&&) noexcept;

  // The indexes of those that match anywhere in the text, ascending.
  std::vector<std::size_t> matches(std::string_view text) const;
  // The same in two steps: the indexes of those that may match, and whether one of them does.
  std::vector<std::size_t> possible(std::string_view text) const;
  bool matches(std::size_t index, std::string_view text) const;

  // Throws Error{internal}, naming it, for an expression that can do without any such text.
  void require_texts() const;
  // Returns the end of the first such text, at or after `from`, of the first `most` expressions;
  // npos if none of them can match there. Nearly as fast as reading. `left_out`: by index, not 0
  // for those that are not looked for; empty: none.
  std::size_t find(std::string_view text, std::size_t from, std::size_t most,
                   const std::vector<char>& left_out = {}) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace topsctl

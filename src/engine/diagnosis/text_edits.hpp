// Changes of a text by offsets, and the resulting patch.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct TextEdit {
  std::size_t offset = 0;
  std::size_t size = 0;  // bytes that go
  std::string text;      // the replacement
  bool operator==(const TextEdit&) const = default;
};

// A text that is edited several times, and tracks which of its lines are original.
class EditedText {
 public:
  explicit EditedText(std::string before);

  const std::string& before() const { return before_; }
  const std::string& text() const { return text_; }
  bool is_changed() const { return text_ != before_; }

  // Skips edits that overlap an earlier one of the list; several insertions at one place keep their
  // order. False if nothing was changed.
  bool apply(std::vector<TextEdit> edits);

  // With three lines of context, for `patch -p1`; empty if nothing was changed.
  std::string unified_diff(std::string_view path) const;

 private:
  std::string before_;
  std::string text_;
  std::vector<int> origins_;  // for each line of text_ its number in before_, from 0; -1: it is new
};

// The text between two offsets, with the edits in that range.
std::string edited(std::string_view text, std::size_t begin, std::size_t end,
                   const std::vector<TextEdit>& edits);

}  // namespace topsctl

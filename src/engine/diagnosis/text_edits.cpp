// Applies edits, tracks line numbers, and writes unified diffs.
#include "engine/diagnosis/text_edits.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t context_lines = 3;

// Lines with their ends; patch(1) recognizes only "\n".
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// A line of both texts, or only of the old or the new one.
struct DiffLine {
  char sign = ' ';
  std::string_view text;
  std::size_t old_line = 0;  // number of its lines before this one
  std::size_t new_line = 0;
};

std::vector<DiffLine> diff_lines(const std::vector<std::string_view>& before,
                                 const std::vector<std::string_view>& after,
                                 const std::vector<int>& origins) {
  std::vector<DiffLine> lines;
  std::size_t old_line = 0;
  const auto old_ones_before = [&](std::size_t end, std::size_t new_line) {
    for (; old_line < end; ++old_line) lines.push_back({'-', before[old_line], old_line, new_line});
  };
  for (std::size_t i = 0; i < after.size();) {
    if (origins[i] >= 0) {
      old_ones_before(static_cast<std::size_t>(origins[i]), i);
      lines.push_back({' ', after[i], old_line++, i});
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < after.size() && origins[end] < 0) ++end;
    // Removed lines come before their replacement.
    old_ones_before(end < after.size() ? static_cast<std::size_t>(origins[end]) : before.size(), i);
    for (; i < end; ++i) lines.push_back({'+', after[i], old_line, i});
  }
  old_ones_before(before.size(), after.size());
  return lines;
}

// "12,3"; for an empty range the line before it.
std::string range_of(std::size_t first, std::size_t count) {
  if (count == 1) return std::to_string(first + 1);
  return concat(count == 0 ? first : first + 1, ",", count);
}

std::string hunk(const std::vector<DiffLine>& lines, std::size_t first, std::size_t end) {
  std::size_t removed = 0;
  std::size_t added = 0;
  std::string body;
  for (std::size_t i = first; i < end; ++i) {
    const DiffLine& line = lines[i];
    removed += line.sign != '+' ? 1 : 0;
    added += line.sign != '-' ? 1 : 0;
    body += concat(line.sign, line.text);
    if (!line.text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return concat("@@ -", range_of(lines[first].old_line, removed), " +",
                range_of(lines[first].new_line, added), " @@\n", body);
}

}  // namespace

EditedText::EditedText(std::string before) : before_(std::move(before)), text_(before_) {
  origins_.resize(whole_lines(before_).size());
  for (std::size_t i = 0; i < origins_.size(); ++i) origins_[i] = static_cast<int>(i);
}

bool EditedText::apply(std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.offset < b.offset; });
  std::string made;
  // Copied offsets of the old text, and their destinations.
  struct Copy {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t to = 0;
  };
  std::vector<Copy> copies;
  std::size_t at = 0;
  bool is_changed = false;
  const auto copy_until = [&](std::size_t end) {
    copies.push_back({at, end, made.size()});
    made.append(text_, at, end - at);
    at = end;
  };
  for (const TextEdit& edit : edits) {
    if (edit.offset < at || edit.offset + edit.size > text_.size()) continue;
    if (text_.compare(edit.offset, edit.size, edit.text) == 0) continue;
    copy_until(edit.offset);
    made += edit.text;
    at += edit.size;
    is_changed = true;
  }
  if (!is_changed) return false;
  copy_until(text_.size());
  std::vector<std::size_t> old_starts;
  for (std::size_t start = 0; const std::string_view line : whole_lines(text_)) {
    old_starts.push_back(start);
    start += line.size();
  }
  std::vector<int> origins;
  auto copy = copies.begin();
  std::size_t start = 0;
  for (const std::string_view line : whole_lines(made)) {
    while (copy != copies.end() && copy->to + (copy->end - copy->begin) < start + line.size())
      ++copy;
    int origin = -1;
    if (copy != copies.end() && copy->to <= start) {
      const std::size_t old_start = copy->begin + (start - copy->to);
      const auto found = std::lower_bound(old_starts.begin(), old_starts.end(), old_start);
      const std::size_t old_end = old_start + line.size();
      const bool is_whole = old_end == text_.size() || text_[old_end - 1] == '\n';
      if (found != old_starts.end() && *found == old_start && is_whole)
        origin = origins_[static_cast<std::size_t>(found - old_starts.begin())];
    }
    origins.push_back(origin);
    start += line.size();
  }
  text_ = std::move(made);
  origins_ = std::move(origins);
  return true;
}

std::string EditedText::unified_diff(std::string_view path) const {
  if (!is_changed()) return {};
  const std::vector<DiffLine> lines =
      diff_lines(whole_lines(before_), whole_lines(text_), origins_);
  std::string out = concat("--- a/", path, "\n+++ b/", path, "\n");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].sign == ' ') continue;
    const std::size_t first = i - std::min(i, context_lines);
    std::size_t last = i;  // last changed line
    for (std::size_t j = i; j < lines.size() && j <= last + 2 * context_lines; ++j) {
      if (lines[j].sign != ' ') last = j;
    }
    const std::size_t end = std::min(last + 1 + context_lines, lines.size());
    out += hunk(lines, first, end);
    i = end - 1;
  }
  return out;
}

std::string edited(std::string_view text, std::size_t begin, std::size_t end,
                   const std::vector<TextEdit>& edits) {
  std::string made;
  std::size_t at = begin;
  for (const TextEdit& edit : edits) {
    if (edit.offset < at || edit.offset + edit.size > end) continue;
    made.append(text, at, edit.offset - at);
    made += edit.text;
    at = edit.offset + edit.size;
  }
  made.append(text, at, end - at);
  return made;
}

}  // namespace topsctl

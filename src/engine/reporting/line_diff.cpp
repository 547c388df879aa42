// A line diff whose time and memory are bounded.
#include "topsctl/engine/reporting/line_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_cells = 1U << 20U;  // of the table, two bytes each
constexpr std::size_t longest_line = 200;

using TextLines = std::vector<std::string_view>;

TextLines lines_of(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

class Recorder {
 public:
  explicit Recorder(std::size_t most) : most_(most) {}
  void removed(std::string_view line) {
    ++diff_.removed;
    keep('-', line);
  }
  void added(std::string_view line) {
    ++diff_.added;
    keep('+', line);
  }
  LineDiff result() { return std::move(diff_); }

 private:
  void keep(char sign, std::string_view line) {
    if (diff_.first.size() < most_)
      diff_.first.push_back(concat(sign, shortened(printable(line), longest_line)));
  }
  std::size_t most_;
  LineDiff diff_;
};

// Compares by a table of longest common subsequences of all tails.
void compare_in_order(const TextLines& before, const TextLines& after, Recorder& recorder) {
  const std::size_t width = after.size() + 1;
  std::vector<std::uint16_t> length((before.size() + 1) * width);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      length[i * width + j] =
          before[i] == after[j] ? static_cast<std::uint16_t>(length[(i + 1) * width + j + 1] + 1)
                                : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i;
      ++j;
    } else if (j == after.size() ||
               (i < before.size() && length[(i + 1) * width + j] >= length[i * width + j + 1])) {
      recorder.removed(before[i++]);
    } else {
      recorder.added(after[j++]);
    }
  }
}

void compare_without_order(const TextLines& before, const TextLines& after, Recorder& recorder) {
  std::map<std::string_view, std::int64_t> surplus;  // of the old text
  for (const std::string_view line : before) ++surplus[line];
  for (const std::string_view line : after) --surplus[line];
  for (const std::string_view line : before) {
    if (surplus[line] > 0) {
      recorder.removed(line);
      --surplus[line];
    }
  }
  for (const std::string_view line : after) {
    if (surplus[line] < 0) {
      recorder.added(line);
      ++surplus[line];
    }
  }
}

}  // namespace

LineDiff line_diff(std::string_view before, std::string_view after, std::size_t most) {
  TextLines old_lines = lines_of(before);
  TextLines new_lines = lines_of(after);
  const auto [old_end, new_end] =
      std::mismatch(old_lines.rbegin(), old_lines.rend(), new_lines.rbegin(), new_lines.rend());
  old_lines.erase(old_end.base(), old_lines.end());
  new_lines.erase(new_end.base(), new_lines.end());
  const auto [old_begin, new_begin] =
      std::mismatch(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end());
  old_lines.erase(old_lines.begin(), old_begin);
  new_lines.erase(new_lines.begin(), new_begin);
  Recorder recorder(most);
  const bool fits = (old_lines.size() + 1) <= most_cells / (new_lines.size() + 1) &&
                    std::min(old_lines.size(), new_lines.size()) < 0xFFFF;
  if (fits) {
    compare_in_order(old_lines, new_lines, recorder);
  } else {
    compare_without_order(old_lines, new_lines, recorder);
  }
  return recorder.result();
}

}  // namespace topsctl

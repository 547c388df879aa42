// Small pure functions on text: cutting, joining, quoting, and human forms of sizes and times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

namespace detail {
inline void append(std::string& to, std::string_view piece) {
  to.append(piece);
}
inline void append(std::string& to, char piece) {
  to.push_back(piece);
}
template <class Integer>
requires std::is_integral_v<Integer>
void append(std::string& to, Integer piece) {
  to.append(std::to_string(piece));
}
template <class Real>
requires std::is_floating_point_v<Real>
void append(std::string& to, Real piece) = delete;  // it would be taken for a character
}  // namespace detail

// All pieces in one string; a piece is text, a character or an integer.
template <class... Pieces>
std::string concat(const Pieces&... pieces) {
  std::string out;
  (detail::append(out, pieces), ...);
  return out;
}

std::string_view trimmed(std::string_view text);
// Cut at every `separator`; always at least one piece.
std::vector<std::string> split(std::string_view text, char separator);
std::string joined(const std::vector<std::string>& pieces, std::string_view separator);
bool is_digits(std::string_view text);
std::string lower_case(std::string_view text);

// 'text' in single quotes for messages, with control characters and broken UTF-8 made harmless.
std::string in_quotes(std::string_view text);
// The text with control characters and broken UTF-8 replaced by '?', fit for a terminal and for
// JSON. Line ends and tabs stay when `keep_lines` is set.
enum class Lines { replace, keep };
std::string printable(std::string_view text, Lines lines = Lines::replace);
// Whether the text is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);
// One word for a POSIX shell, whatever the text holds (POSIX.1-2017, XCU 2.2.2). NUL is refused
// with Error{internal}.
std::string shell_quoted(std::string_view text);

// Damerau-Levenshtein distance (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
// " (did you mean 'x'?)" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// The first `most` bytes, or fewer where a character would be cut in two.
std::string shortened(std::string_view text, std::size_t most);

// "0755": permission bits as chmod(1) has them.
std::string octal_mode(unsigned mode);
// "5.7 MiB"; powers of 1024.
std::string human_size(std::uint64_t bytes);
// "0.4 s", "2 min 5 s".
std::string human_duration(std::int64_t milliseconds);
// The first `most` lines, and how many were left out.
std::string first_lines(std::string_view text, std::size_t most);
// The last `most` lines that are not empty.
std::string last_lines(std::string_view text, std::size_t most);
// The lines of a program's output that tell of an error, each with the line after it; the last
// lines if none does. At most `most`.
std::string telling_lines(std::string_view text, std::size_t most);
// "1 package", "2 packages".
std::string counted(std::size_t count, std::string_view noun);
// Columns of the text on a terminal: code points, wide East Asian ones twice.
std::size_t display_width(std::string_view text);

}  // namespace topsctl

// Small pure functions on text: cutting, joining, quoting, and human forms of sizes and times.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace topsctl {

// Hash for maps with string keys that are also searched by string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

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

// Concatenates all pieces; a piece is text, a character or an integer. For paths, identifiers and
// columns; use format() for sentences that a user reads.
template <class... Pieces>
std::string concat(const Pieces&... pieces) {
  std::string out;
  (detail::append(out, pieces), ...);
  return out;
}

namespace detail {
// One value of a sentence: text that outlives the call, a character, or an integer.
class Value {
 public:
  Value(std::string_view text) : text_(text) {}
  Value(const std::string& text) : text_(text) {}
  Value(const char* text) : text_(text), is_own_(true) {}
  Value(char character) : own_{character}, length_(1) {}
  template <std::integral Integer>
  Value(Integer number) {
    const auto end = std::to_chars(own_, own_ + sizeof(own_), number).ptr;
    length_ = static_cast<std::size_t>(end - own_);
  }
  Value(bool) = delete;    // write it in words
  Value(double) = delete;  // the number of digits is undefined
  std::string_view text() const { return length_ > 0 ? std::string_view(own_, length_) : text_; }
  // Written in the source, so it is translated.
  bool is_own() const { return is_own_; }

 private:
  std::string_view text_;
  char own_[24] = {};
  std::size_t length_ = 0;
  bool is_own_ = false;
};

// A sentence with `count` placeholders "{}"; "{{" and "}}" stand for braces. Anything else does not
// compile.
template <std::size_t count>
class Sentence {
 public:
  template <std::size_t size>
  consteval Sentence(const char (&text)[size]) : text_(text, size - 1) {
    std::size_t places = 0;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      if (text[i] != '{' && text[i] != '}') continue;
      if (text[i] == '{' && text[i + 1] == '}')
        ++places;
      else if (text[i] != text[i + 1])
        throw "a brace that is neither {} nor doubled";
      ++i;
    }
    if (places != count) throw "as many values as places";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

std::string format(std::string_view sentence, std::span<const Value> values);
}  // namespace detail

// format("cannot read {}: {}", in_quotes(path), why): a whole sentence in one place, translated
// into the current language (base/catalogue.hpp), as are values that are such sentences. An object,
// so that argument-dependent lookup never finds std::format.
struct Format {
  template <class... Values>
  std::string operator()(detail::Sentence<sizeof...(Values)> sentence,
                         const Values&... values) const {
    const detail::Value all[] = {detail::Value(values)..., detail::Value(std::string_view())};
    return detail::format(sentence.text(), std::span(all, sizeof...(Values)));
  }
};
inline constexpr Format format{};

std::string_view trimmed(std::string_view text);
// Splits at each `separator`; returns at least one piece.
std::vector<std::string> split(std::string_view text, char separator);
// Its longest pieces that can be names of files: letters, digits, and any of ._+@-, in a set.
std::set<std::string_view> names_in(std::string_view text);
std::string joined(const std::vector<std::string>& pieces, std::string_view separator);
bool is_digits(std::string_view text);
std::string lower_case(std::string_view text);

// 'text' in single quotes for messages, with control characters and broken UTF-8 replaced.
std::string in_quotes(std::string_view text);
// The text with control characters and broken UTF-8 replaced by '?', for terminals and JSON. Line
// ends and tabs stay with Lines::keep.
enum class Lines { replace, keep };
std::string printable(std::string_view text, Lines lines = Lines::replace);
// Whether the text has control characters, or characters that change the reading direction: a
// reader would see a different text.
bool has_harmful_character(std::string_view text);
// A word that can be typed in any terminal: shell_quoted(), but $'...' of bash, zsh and ksh with
// byte escapes for text with such characters.
std::string typed_word(std::string_view text);
// JSON text with such non-ASCII characters as escapes: "\\u202e". JSON text has no ASCII control
// characters.
std::string with_json_escapes(std::string json);
// Whether the text is well-formed UTF-8 (RFC 3629).
bool is_utf8(std::string_view text);
// Quotes any text as one word for a POSIX shell (POSIX.1-2017, XCU 2.2.2). NUL throws
// Error{internal}.
std::string shell_quoted(std::string_view text);

// Damerau-Levenshtein distance (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate nearest to `word`, if it is similar enough.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
// " (did you mean 'x'?)" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// The first `most` bytes, or fewer so that no character is cut in two.
std::string shortened(std::string_view text, std::size_t most);

// "0755": permission bits as chmod(1) has them.
std::string octal_mode(unsigned mode);
// "5.7 MiB"; powers of 1024.
std::string human_size(std::uint64_t bytes);
// "0.4 s", "2 min 5 s".
std::string human_duration(std::int64_t milliseconds);
// The first `most` lines, and the number of lines left out.
std::string first_lines(std::string_view text, std::size_t most);
// The last `most` lines that are not empty.
std::string last_lines(std::string_view text, std::size_t most);
// The lines of a program's output that report an error, each with the line after it and up to four
// lines before it that may be its cause: those since a line that ends in "...". The last lines if
// no line reports an error. At most `most`.
std::string telling_lines(std::string_view text, std::size_t most);
// "1 package", "2 packages"; translated by the sentence "{} packages".
std::string counted(std::size_t count, std::string_view noun);
// Columns of the text on a terminal: code points; wide East Asian ones count twice.
std::size_t display_width(std::string_view text);

}  // namespace topsctl

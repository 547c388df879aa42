// Splits, joins, quotes and formats text.
#include "topsctl/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/args.h>
#include <fmt/format.h>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {

std::string detail::format(std::string_view sentence, std::span<const Value> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  store.reserve(values.size(), 0);
  std::vector<fmt::string_view> texts;
  texts.reserve(values.size());
  for (const Value& value : values) {
    const std::string_view text =
        value.is_own() ? translated(value.text()) : translated_text(value.text());
    texts.emplace_back(text.data(), text.size());
    store.push_back(std::cref(texts.back()));
  }
  const std::string_view wanted = translated(sentence);
  return fmt::vformat(fmt::string_view(wanted.data(), wanted.size()), store);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::set<std::string_view> names_in(std::string_view text) {
  constexpr std::string_view of_names =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+@-";
  std::set<std::string_view> names;
  for (std::size_t at = text.find_first_of(of_names); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(of_names, at), text.size());
    names.insert(text.substr(at, end - at));
    at = text.find_first_of(of_names, end);
  }
  return names;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  for (;;) {
    const auto end = text.find(separator);
    pieces.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& pieces, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) out.append(separator);
    out.append(pieces[i]);
  }
  return out;
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes; 0 for broken UTF-8
};

// RFC 3629: shortest form only, no surrogates, at most U+10FFFF.
CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {};
  std::uint32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return {};
  }
  return {value, length};
}

// Controls, and the invisible characters that turn the reading direction around (CVE-2021-42574).
bool is_harmful(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x061C || c == 0x200E || c == 0x200F || c == 0xFEFF;
}

bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
         (c >= 0x20000 && c <= 0x3FFFD);
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const bool kept_line = lines == Lines::keep && (text[at] == '\n' || text[at] == '\t');
    if (point.length == 0 || (is_harmful(point.value) && !kept_line)) {
      out.push_back('?');
      at += point.length == 0 ? 1 : point.length;
      continue;
    }
    out.append(text.substr(at, point.length));
    at += point.length;
  }
  return out;
}

bool has_harmful_character(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (point.length > 0 && is_harmful(point.value)) return true;
    at += std::max<std::size_t>(point.length, 1);
  }
  return false;
}

std::string with_json_escapes(std::string json) {
  const auto is_beyond = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  if (std::none_of(json.begin(), json.end(), is_beyond)) return json;
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const CodePoint point = code_point_at(json, at);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    if (point.value >= 0x7F && is_harmful(point.value)) {
      out += fmt::format("\\u{:04x}", point.value);  // none of them is beyond 0xFFFF
    } else {
      out.append(json, at, length);
    }
    at += length;
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = code_point_at(text, at).length;
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  return concat("'", printable(text), "'");
}

std::string shell_quoted(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    throw Error(ErrorCode::internal, "a NUL character cannot be quoted for a shell");
  }
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+,-=";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out.append("'\\''");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('\'');
  return out;
}

std::string typed_word(std::string_view text) {
  if (!has_harmful_character(text) && is_utf8(text)) return shell_quoted(text);
  std::string out = "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    constexpr std::string_view digits = "0123456789abcdef";
    if (c == '\'' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20 || byte > 0x7e)
      out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      out += c;
  }
  return out + "'";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  const std::string_view bounded = word.substr(0, 64);
  std::size_t best = 1 + std::max<std::size_t>(bounded.size(), 3) / 3;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower_case(bounded), lower_case(candidate));
    const bool begins = bounded.size() >= 3 && candidate.starts_with(bounded);
    if (distance < best || (begins && !found)) {
      best = std::min(distance, best);
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto candidate = nearest(word, candidates);
  return candidate ? format(" (did you mean {}?)", in_quotes(*candidate)) : std::string();
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return concat(text.substr(0, most), "...");
}

std::string octal_mode(unsigned mode) {
  std::string digits;
  for (unsigned shift = 12; shift > 0; shift -= 3) {
    digits.push_back(static_cast<char>('0' + ((mode >> (shift - 3)) & 7U)));
  }
  return digits;
}

std::string human_size(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // A value that would be rounded to 1024.0 goes to the next unit.
  while (value >= (unit == 0 ? 1024.0 : 1023.95) && unit + 1 < units.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return out.data();
}

std::string human_duration(std::int64_t milliseconds) {
  if (milliseconds >= 60'000) {
    return format("{} min {} s", milliseconds / 60'000, milliseconds / 1000 % 60);
  }
  if (milliseconds >= 10'000) return concat(milliseconds / 1000, " s");
  return concat(milliseconds / 1000, ".", milliseconds / 100 % 10, " s");
}

std::string first_lines(std::string_view text, std::size_t most) {
  const std::vector<std::string> lines = split(trimmed(text), '\n');
  if (lines.size() <= most) return joined(lines, "\n");
  const std::vector<std::string> kept(lines.begin(),
                                      lines.begin() + static_cast<std::ptrdiff_t>(most));
  return format("{}\n... and {} more lines", joined(kept, "\n"), lines.size() - most);
}

std::string last_lines(std::string_view text, std::size_t most) {
  std::vector<std::string> lines;
  for (std::string& line : split(text, '\n')) {
    if (!trimmed(line).empty()) lines.push_back(std::move(line));
  }
  if (lines.size() > most) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  }
  return joined(lines, "\n");
}

namespace {

// dpkg marks its own words so in any language.
bool is_error_line(const std::string& line) {
  return lower_case(line).find("error") != std::string::npos || line.starts_with("dpkg: ") ||
         line.starts_with("dpkg (");
}

// The last lines before this one that belong to one message: "Setting up x (1) ..." begins it.
std::size_t begin_of_cause(const std::vector<std::string>& lines, std::size_t error) {
  constexpr std::size_t most_before = 4;
  std::size_t begin = error;
  while (begin > 0 && error - begin < most_before && !lines[begin - 1].ends_with("...") &&
         !is_error_line(lines[begin - 1]))
    --begin;
  return begin;
}

}  // namespace

std::string telling_lines(std::string_view text, std::size_t most) {
  std::vector<std::string> lines = split(text, '\n');
  std::erase_if(lines, [](const std::string& line) { return trimmed(line).empty(); });
  std::vector<std::string> told;
  std::size_t next = 0;  // the first line that is not yet included
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_error_line(lines[i])) continue;
    for (std::size_t at = std::max(next, begin_of_cause(lines, i));
         at <= std::min(i + 1, lines.size() - 1); ++at)
      if (told.size() < most) told.push_back(lines[at]);
    next = i + 2;
  }
  return told.empty() ? last_lines(text, most) : joined(told, "\n");
}

std::string counted(std::size_t count, std::string_view noun) {
  const std::string sentence = concat("{} ", noun, "s");
  if (const std::string_view other = translated(sentence); other != sentence) {
    const detail::Value number(count);
    return detail::format(sentence, std::span(&number, 1));
  }
  return concat(count, " ", noun, count == 1 ? "" : "s");
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    width += is_wide(point.value) ? 2 : 1;
    at += point.length == 0 ? 1 : point.length;
  }
  return width;
}

}  // namespace topsctl

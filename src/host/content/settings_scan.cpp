// Searches for variable names first, then examines the text around each.
#include "topsctl/host/content/settings_scan.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// Of Enflame; of NVIDIA, AMD, Moore Threads, Cambricon and Ascend.
constexpr std::array<std::string_view, 19> prefixes = {
    "ECCL", "ENFLAME", "TOPS", "GCU",  "PTEX", "NCCL", "CUDA",    "HIP",    "HSA", "ROCR",
    "ROCM", "RCCL",    "MUSA", "MCCL", "CNCL", "MLU",  "NEUWARE", "ASCEND", "HCCL"};
constexpr std::size_t longest_setting = 128;
constexpr std::size_t longest_value = 256;
constexpr std::size_t looked_at = 1024;  // bytes after a name: a line may be the whole text

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_word_character(char c) {
  return is_name_character(c) || (c >= 'a' && c <= 'z');
}

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// The text up to the closing quote on the same line; nothing if there is no such quote.
std::optional<std::string_view> quoted(std::string_view text, char quote) {
  for (std::size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == quote) return text.substr(0, i);
    if (text[i] == '\\') ++i;
  }
  return std::nullopt;
}

// A word of a shell; commas belong to it, but not one at its end.
std::string_view shell_word(std::string_view text) {
  text = text.substr(0, text.find_first_of(" \t\r\n;&|)<>`'\""));
  while (text.ends_with(',') || text.ends_with('\\')) text.remove_suffix(1);
  return text;
}

// A number, or a word that represents one in JSON, YAML or Python; nothing for other expressions.
std::optional<std::string_view> plain_value(std::string_view text) {
  text = text.substr(0, text.find_first_of(" \t\r\n,}])#"));
  const std::string word = lower_case(text.substr(0, 8));
  const bool is_word = word == "true" || word == "false" || word == "null" || word == "none";
  const bool is_number = !text.empty() && text.size() <= 32 &&
                         text.find_first_not_of("0123456789.-") == std::string_view::npos;
  return is_word || is_number ? std::optional(text) : std::nullopt;
}

std::optional<std::string_view> literal_value(std::string_view text) {
  text = without_blanks(text);
  if (!text.empty() && is_quote(text.front())) return quoted(text.substr(1), text.front());
  return plain_value(text);
}

// One occurrence of a name.
struct Place {
  std::string_view before;  // of the same line
  std::string_view name;
  std::string_view after;  // and of the next line
  bool is_first;           // only blanks and the "-" of a list come before it

  std::optional<std::string_view> value() const {
    const char last = before.empty() ? '\n' : before.back();
    if (last == '$' || last == '{' || last == '.') return std::nullopt;  // it is read, or a member
    if (after.starts_with('=') && !after.starts_with("==")) return assigned(last);
    if (is_quote(last) && after.starts_with(last)) return keyed(last);
    if (after.starts_with(": ") && is_first) return literal_value(after.substr(1));
    if (after.starts_with(' ') || after.starts_with('\t')) return after_command();
    return std::nullopt;
  }

 private:
  std::optional<std::string_view> assigned(char last) const {
    const std::string_view rest = after.substr(1);
    if (is_quote(last)) return quoted(rest, last);
    if (!rest.empty() && is_quote(rest.front())) return quoted(rest.substr(1), rest.front());
    return shell_word(rest);
  }

  // The name is a text itself: a key of a map or an argument.
  std::optional<std::string_view> keyed(char quote) const {
    std::string_view rest = without_blanks(after.substr(1));
    if (rest.starts_with(':')) return literal_value(rest.substr(1));
    if (rest.starts_with(']')) {
      rest = without_blanks(rest.substr(1));
      if (!rest.starts_with('=') || rest.starts_with("==")) return std::nullopt;
      return literal_value(rest.substr(1));
    }
    std::string_view call = before;
    if (call.ends_with(quote)) call.remove_suffix(1);
    const bool sets =
        call.ends_with("setdefault(") || call.ends_with("putenv(") || call.ends_with("setenv(");
    if (!rest.starts_with(',') || !sets) return std::nullopt;
    return literal_value(rest.substr(1));
  }

  std::optional<std::string_view> after_command() const {
    const std::string command = lower_case(trimmed(before.substr(0, longest_setting)));
    if (command != "env" && command != "setenv") return std::nullopt;
    std::string_view rest = after.substr(0, after.find('\n'));
    rest = trimmed(rest);
    if (rest.size() >= 2 && is_quote(rest.front()) && rest.back() == rest.front()) {
      return rest.substr(1, rest.size() - 2);
    }
    if (rest.empty() || rest.starts_with('=')) return std::nullopt;
    return rest;
  }
};

// The beginning of the vendor's name whose first underscore is at `underscore`, if it is one.
std::optional<std::size_t> name_begin(std::string_view text, std::size_t underscore) {
  const std::string_view before = text.substr(0, underscore);
  for (const std::string_view prefix : prefixes) {
    if (!before.ends_with(prefix)) continue;
    const std::size_t begin = underscore - prefix.size();
    if (begin > 0 && is_word_character(text[begin - 1])) return std::nullopt;
    return begin;
  }
  return std::nullopt;
}

// The line of a place; reads each byte of the text once, even in long lines.
struct Line {
  std::size_t begin = 0;
  std::size_t first_word = std::string_view::npos;  // after blanks and "-"
  bool is_comment = false;
  std::size_t looked_to = 0;  // line ends were looked for up to there

  void move_to(std::string_view text, std::size_t at) {
    const auto newline = text.substr(looked_to, at - looked_to).rfind('\n');
    if (newline == std::string_view::npos && looked_to > 0) {
      looked_to = at;
      return;
    }
    if (newline != std::string_view::npos) begin = looked_to + newline + 1;
    looked_to = at;
    first_word = text.find_first_not_of(" \t-", begin);
    const auto first = text.find_first_not_of(" \t", begin);
    is_comment = first != std::string_view::npos && text[first] == '#';
  }
};

void count(std::string_view name, std::string_view value,
           std::map<Setting, std::uint64_t>& settings) {
  const std::string shown = printable(value.substr(0, longest_value + 1));
  Setting setting{std::string(name),
                  shown.size() > longest_value ? shortened(shown, longest_value - 3) : shown};
  const auto known = settings.find(setting);
  if (known != settings.end()) {
    ++known->second;
  } else if (settings.size() < most_settings) {
    settings.emplace(std::move(setting), 1);
  }
}

}  // namespace

void scan_settings(std::string_view text, std::map<Setting, std::uint64_t>& settings) {
  Line line;
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    const auto begin = name_begin(text, at);
    if (!begin) continue;
    line.move_to(text, *begin);
    std::size_t end = at + 1;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const bool is_name = end > at + 1 && end - *begin <= longest_setting &&
                         (end == text.size() || !is_word_character(text[end]));
    if (is_name && !line.is_comment) {
      const Place place{text.substr(line.begin, *begin - line.begin),
                        text.substr(*begin, end - *begin), text.substr(end, looked_at),
                        line.first_word == *begin};
      if (const auto value = place.value()) count(place.name, *value, settings);
    }
    at = end - 1;
  }
}

}  // namespace topsctl

// Parsing of "Name: value" paragraphs.
#include "topsctl/host/content/stanza.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// The next line without its end; moves `text` on.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Reads one paragraph from the start of `text` and moves it on.
Stanza take_stanza(std::string_view& text) {
  Stanza stanza;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (trimmed(line).empty()) {
      if (stanza.fields.empty()) continue;
      return stanza;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      if (!stanza.fields.empty()) {
        stanza.fields.back().second += concat("\n", trimmed(line));
      }
      continue;
    }
    const auto colon = line.find(':');
    if (line.front() == '#' || colon == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, colon));
    if (name.empty()) continue;
    stanza.fields.emplace_back(name, trimmed(line.substr(colon + 1)));
  }
  return stanza;
}

}  // namespace

std::string Stanza::value(std::string_view name) const {
  for (const auto& [key, value] : fields) {
    if (lower_case(key) == lower_case(name)) return value;
  }
  return {};
}

std::vector<Stanza> parse_stanzas(std::string_view text) {
  std::vector<Stanza> stanzas;
  while (!text.empty()) {
    Stanza stanza = take_stanza(text);
    if (!stanza.fields.empty()) stanzas.push_back(std::move(stanza));
  }
  return stanzas;
}

Stanza parse_stanza(std::string_view text) {
  return take_stanza(text);
}

}  // namespace topsctl

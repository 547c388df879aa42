// RFC 822 headers by the rules of email.feedparser.
#include "host/python/metadata_headers.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// Lines end with LF, CR or both.
std::string_view take_header_line(std::string_view& text) {
  const auto end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with("\r\n")) text.remove_prefix(1);
  if (!text.empty()) text.remove_prefix(1);
  return line;
}

bool is_field_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

Stanza metadata_headers(std::string_view text) {
  Stanza headers;
  while (!text.empty()) {
    const std::string_view line = take_header_line(text);
    if (line.starts_with(' ') || line.starts_with('\t')) {
      if (!headers.fields.empty()) headers.fields.back().second += concat("\n", trimmed(line));
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_field_name(line.substr(0, colon))) break;
    headers.fields.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
  return headers;
}

}  // namespace topsctl

// "Name: value" paragraphs: Debian control files (policy 5.1) and Python core metadata (PEP 566).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace topsctl {

// One paragraph; keeps the order of fields, and repeated names.
struct Stanza {
  std::vector<std::pair<std::string, std::string>>
      fields;  // value: lines joined by '\n', first line trimmed

  // The first field of that name, in any case; empty if it is missing.
  std::string value(std::string_view name) const;
};

// All paragraphs, in order. Skips lines that are neither fields nor continuations, because such
// files come from many sources.
std::vector<Stanza> parse_stanzas(std::string_view text);
// Only the first paragraph: the text after the headers of METADATA is prose.
Stanza parse_stanza(std::string_view text);

}  // namespace topsctl

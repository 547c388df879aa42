// The JSON value type of the program: keeps the order of keys, because people read documents too.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace topsctl {

using Json = nlohmann::ordered_json;

// Parses strictly; throws Error{bad_stack} with `source`, line and column.
Json parse_json(std::string_view text, const std::string& source);
// null for text that is not JSON, or is nested deeper than a document of ours.
Json json_or_null(std::string_view text);
// Two-space indentation and a final line end.
std::string to_text(const Json& document);
// On one line, with bytes that are not UTF-8 replaced.
std::string to_line(const Json& value);
// null for empty text.
Json text_or_null(const std::string& text);

}  // namespace topsctl

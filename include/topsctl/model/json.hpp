// The JSON value type of the program: key order is kept, as documents are read by people too.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace topsctl {

using Json = nlohmann::ordered_json;

// Parses strictly; throws Error{bad_stack} naming `source`, line and column.
Json parse_json(std::string_view text, const std::string& source);
// Two-space indentation and a final line end.
std::string to_text(const Json& document);
// In one line, bytes that are no UTF-8 replaced.
std::string to_line(const Json& value);
// null for empty text.
Json text_or_null(const std::string& text);

}  // namespace topsctl

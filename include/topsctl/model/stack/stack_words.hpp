// The values of stack files. Each parser throws Error{bad_stack} with the place of an invalid
// value.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// Names that are used in file names, JSON ids and command lines.
bool is_identifier(std::string_view text);
std::string identifier(const JsonReader& reader);
std::string variable_name(const JsonReader& reader);
// Text without control characters.
std::string one_line(const JsonReader& reader);
// Without '.', '..' and empty parts.
std::string absolute_path(const JsonReader& reader);
// Without '/'.
std::string file_name(const JsonReader& reader);

}  // namespace topsctl

// Named parts of patterns in data files: {NAME} in a pattern is replaced by that name's pattern.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// Names with their expanded patterns, each in its own group; a pattern may use earlier names.
using PatternNames = std::vector<std::pair<std::string, std::string>>;

// Parses an object of patterns by name; names consist of a-z and _. Throws Error{bad_stack}.
PatternNames read_pattern_names(const JsonReader& reader);
// The pattern in a text value with its names expanded. Braces around anything but a name are
// repetitions of the pattern itself. Throws Error{bad_stack} for an unknown name.
std::string read_pattern(const JsonReader& reader, const PatternNames& names);

}  // namespace topsctl

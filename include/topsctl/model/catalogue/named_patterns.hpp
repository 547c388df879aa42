// Named parts of patterns in data files: {NAME} in a pattern stands for that name's pattern.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// Each with its pattern filled in, in a group of its own; a name may use those before it.
using PatternNames = std::vector<std::pair<std::string, std::string>>;

// An object of patterns by name; names are of a-z and _. Throws Error{bad_stack}.
PatternNames read_pattern_names(const JsonReader& reader);
// The pattern of a text value with its names filled in. Braces around anything but a name are
// repetitions of the pattern's own. Throws Error{bad_stack} for a name that is not there.
std::string read_pattern(const JsonReader& reader, const PatternNames& names);

}  // namespace topsctl

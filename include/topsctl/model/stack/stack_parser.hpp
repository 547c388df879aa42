// Reads the JSON form of stacks.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Parses a stack strictly; `source` is its name in messages. Throws Error{bad_stack}.
Stack parse_stack(std::string_view json, const std::string& source);

}  // namespace topsctl

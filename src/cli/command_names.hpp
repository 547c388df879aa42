// Words that users type for commands, and the commands that they mean.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"

namespace topsctl {

// Error{usage} for an unknown command, with a suggestion: by another tool's word for it, or by its
// letters. Suggests a command that changes a host only if the word begins like it.
Error unknown_command(std::string_view word);

// For `topsctl help`: names the page, because a command's name alone would run the command.
inline constexpr const char* page_option = "--page";

// The embedded page of a command; empty: that of the program. Throws unknown_command().
std::string_view page_of(const std::string& command);

}  // namespace topsctl

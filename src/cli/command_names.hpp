// The words that users type for commands, and the ones that they mean.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/error.hpp"

namespace topsctl {

// Error{usage} for a word that is no command, with the one that is meant: by another tool's word
// for it, or by its letters. A word is never taken for one that changes a machine unless it begins
// as that one does.
Error unknown_command(std::string_view word);

// Of `topsctl help`: names the page, as a command's name alone would be taken for the command.
inline constexpr const char* page_option = "--page";

// A command's page as it is embedded; empty: that of the program. Throws unknown_command().
std::string_view page_of(const std::string& command);

}  // namespace topsctl

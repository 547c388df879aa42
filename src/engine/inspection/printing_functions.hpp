// Functions of a shell script that only print.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace topsctl {

// echo, printf, logger and the like.
bool is_printer(std::string_view command);

// The names of the script's functions that only print their arguments: their commands are printing
// commands, other such functions, exit and return. Omits a function if its second definition does
// anything else.
std::set<std::string, std::less<>> printing_functions(std::string_view script);

}  // namespace topsctl

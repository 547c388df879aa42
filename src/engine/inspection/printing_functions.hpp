// Functions of a shell script that only print.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace topsctl {

// echo, printf, logger and the like.
bool is_printer(std::string_view command);

// The names of the script's functions that do nothing with their arguments but print them for a
// person: their commands are printers, other such functions, exit and return. A function whose
// second definition does anything else is left out.
std::set<std::string, std::less<>> printing_functions(std::string_view script);

}  // namespace topsctl

// Replaces this process by another program.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace topsctl {

// execve(2): continues as the program with exactly this environment, with topsctl's working
// directory, terminal and standard streams, and with default signal handling. Looks up a name
// without a '/' in PATH of `environment`. Never returns. Throws Error{usage} if there is no such
// program, Error{permission} if it may not be run.
[[noreturn]] void exec_program(const std::vector<std::string>& argv,
                               const std::map<std::string, std::string>& environment);

}  // namespace topsctl

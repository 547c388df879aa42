// Another program in the place of this one.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace topsctl {

// execve(2): this process goes on as the program, with exactly this environment, with the working
// directory, terminal and standard streams that topsctl has, and with signals as a program expects
// them. A name without a '/' is looked up in PATH of `environment`. Returns never. Throws
// Error{usage} if there is no such program, Error{permission} if it may not be run.
[[noreturn]] void exec_program(const std::vector<std::string>& argv,
                               const std::map<std::string, std::string>& environment);

}  // namespace topsctl

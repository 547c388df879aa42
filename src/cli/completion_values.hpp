// Values that a shell requests while a command line is being typed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace topsctl {

// Kinds of values, by the names of Option::lists().
std::vector<std::string> completion_kinds();

// The values of that kind. `typed`: the words so far, the one being typed last. Throws Error.
std::set<std::string> completion_values(const std::string& kind, const Session& session,
                                        const std::vector<std::string>& typed);

}  // namespace topsctl

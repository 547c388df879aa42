// The shell that topsctl was called from.
#pragma once

#include <map>
#include <string>

namespace topsctl {

struct CallingShell {
  std::string program;                             // "bash", "fish"; empty: unknown
  std::map<std::string, std::string> environment;  // what it gives to its programs
};

// `own`: the environment of this process. Behind sudo, which leaves most of it out, it is what the
// shell gave to sudo, as far as it can be read.
CallingShell calling_shell(const std::map<std::string, std::string>& own);

}  // namespace topsctl

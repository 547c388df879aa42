// The shell that topsctl was called from.
#pragma once

#include <map>
#include <string>

namespace topsctl {

struct CallingShell {
  std::string program;                             // "bash", "fish"; empty: unknown
  std::map<std::string, std::string> environment;  // of programs that it starts
};

// `own`: the environment of this process. Under sudo, which removes most of it, uses the
// environment of the sudo process, if readable.
CallingShell calling_shell(const std::map<std::string, std::string>& own);

}  // namespace topsctl

// Drops all privileges of a process.
#pragma once

#include <string>

namespace topsctl {

// Permanent, for a single-threaded process: `kept` becomes descriptor 3, the standard streams
// become /dev/null, and all others are closed; root switches to an unprivileged user; new programs
// gain no rights; no file can be opened by its path, if the kernel has Landlock, and system calls
// that a reader does not need are forbidden (reader_filter.hpp). Returns unsupported protections as
// the end of a sentence; empty: all are active.
std::string confine_this_process(int kept);
inline constexpr int kept_descriptor = 3;

}  // namespace topsctl

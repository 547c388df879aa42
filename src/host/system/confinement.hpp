// A process that gives up all that it could do to the machine.
#pragma once

#include <string>

namespace topsctl {

// For good, for a process of one thread: `kept` becomes descriptor 3, the standard streams become
// /dev/null, and all others are closed; root becomes nobody; nothing that is started gains rights;
// no file can be opened by its path, where the kernel has Landlock, and no call made that a reader
// needs not (reader_filter.hpp). Returns what of this the machine refuses and should not, as a
// sentence's end; empty: nothing.
std::string confine_this_process(int kept);
inline constexpr int kept_descriptor = 3;

}  // namespace topsctl

// Whether the kernel and the confinement of this process allow tracing of programs.
#pragma once

#include <string>

namespace topsctl {

// Why programs started here cannot be traced; empty: they can. Tries it with a copy of this
// process, in a few milliseconds. Throws Error{interrupted, terminated}.
std::string why_not_observable();

}  // namespace topsctl

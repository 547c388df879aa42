// System calls that a program in an enclosure may not make.
#pragma once

namespace topsctl {

// Whether this kernel can filter system calls (seccomp).
bool can_filter_calls();

// Refuses from now on, for this process and all that it starts: making devices, mounting, new
// namespaces, entering others, tracing, opening by handle, and calls that reach the kernel itself.
// Programs of another architecture can do nothing. Needs CAP_SYS_ADMIN or no_new_privs. False with
// errno set if the kernel refuses. Safe after fork.
bool filter_calls();

}  // namespace topsctl

// The system calls of a process that only computes on descriptors which it has.
#pragma once

namespace topsctl {

// From now on this process may use memory, threads and clocks, read and write open descriptors, and
// request more over its sockets. Opening and examining paths fails with EACCES; any other call,
// such as socket(2) or execve(2), kills the process. Needs no_new_privs. False with errno set if
// the kernel refuses.
bool allow_reading_calls();

}  // namespace topsctl

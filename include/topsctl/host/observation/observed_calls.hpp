// The system calls by which a program changes paths, and the filter that reports each of them
// before the kernel executes it (seccomp(2)).
#pragma once

#include <cstdint>

#include "topsctl/host/system/filter_text.hpp"

namespace topsctl {

enum class CallKind {
  open,         // open(2) with flags that write or create
  open_how,     // openat2(2): its flags are in memory
  create,       // creat(2)
  truncate,     // truncate(2)
  remove,       // unlink(2), rmdir(2)
  rename,       // rename(2)
  link,         // link(2)
  make,         // symlink(2), mknod(2): creates a name
  make_folder,  // mkdir(2)
  set,          // owner, mode, times, extended attributes; of a link's target
  set_link,     // the same for a link itself
  set_open,     // the same for an open descriptor
  new_tree,     // chroot(2), mount(2): paths have another meaning afterwards
  bind,         // bind(2), which creates a socket
  socketcall    // bind(2) by socketcall(2): its arguments are in memory
};

// Positions of the arguments; -1: none.
struct CallShape {
  CallKind kind = CallKind::set_open;
  signed char folder = -1;     // a descriptor
  signed char path = -1;       // the address of a path
  signed char to_folder = -1;  // of the second path
  signed char to_path = -1;
  signed char flags = -1;
};

// The shape of a call that the filter reports; nullptr for any other call.
const CallShape* shape_of_call(std::uint32_t architecture, int number);

// Selects which calls are reported (SECCOMP_RET_TRACE), executed or refused. Refused: io_uring
// (ENOSYS: programs have another way), opening by handle, new mount namespaces and untraced
// children (EPERM), and file flags, which cannot be backed up (EOPNOTSUPP).
FilterText observing_filter();

}  // namespace topsctl

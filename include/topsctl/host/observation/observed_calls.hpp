// The system calls by which a program changes paths, and the filter that has each of them told
// before the kernel makes it (seccomp(2)).
#pragma once

#include <cstdint>

#include "topsctl/host/system/filter_text.hpp"

namespace topsctl {

enum class CallKind {
  open,         // open(2) with flags that write or make
  open_how,     // openat2(2): its flags stand in memory
  create,       // creat(2)
  truncate,     // truncate(2)
  remove,       // unlink(2), rmdir(2)
  rename,       // rename(2)
  link,         // link(2)
  make,         // symlink(2), mknod(2): a new name
  make_folder,  // mkdir(2)
  set,          // owner, mode, times, extended attributes; of what a link leads to
  set_link,     // the same of a link itself
  set_open,     // the same of an open descriptor
  new_tree,     // chroot(2), mount(2): paths mean something else afterwards
  bind,         // bind(2), which makes a socket
  socketcall    // bind(2) by socketcall(2): its arguments stand in memory
};

// Which argument is what; -1: there is none.
struct CallShape {
  CallKind kind = CallKind::set_open;
  signed char folder = -1;     // a descriptor
  signed char path = -1;       // the address of a path
  signed char to_folder = -1;  // of the second path
  signed char to_path = -1;
  signed char flags = -1;
};

// Of a call that the filter has told; nullptr: of none that it tells.
const CallShape* shape_of_call(std::uint32_t architecture, int number);

// Which calls are told (SECCOMP_RET_TRACE), which are made and which fail. Refused are: io_uring
// (ENOSYS: programs have another way), opening by handle, mount namespaces of their own and
// untraced children (EPERM), and file flags, which cannot be backed up (EOPNOTSUPP).
FilterText observing_filter();

}  // namespace topsctl

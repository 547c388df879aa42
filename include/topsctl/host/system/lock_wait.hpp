// Waits for file locks with a time limit, which the kernel's own waits do not have.
#pragma once

#include <sys/types.h>

#include <functional>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

enum class LockKind {
  whole,   // flock(2), exclusive
  record,  // F_OFD_SETLK, for writing, of the whole file: conflicts with dpkg's locks
};

// Waits for a lock on an open file; the file then has the lock. False if the time is over or a
// signal has come. The waiting child has all our descriptors, so closing one does not release its
// locks during the wait. Throws Error if no process can be started.
bool lock_within(const Descriptor& file, LockKind kind, const WaitLimit& limit);

// A child process that is blocked in one call. It ends with this process, and with this object.
// Create and use it on one thread.
class BlockedCall {
 public:
  // `call` must be safe after fork in a multi-threaded process: system calls only. Throws Error.
  explicit BlockedCall(const std::function<bool()>& call);
  ~BlockedCall();
  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;

  int descriptor() const { return returned_.get(); }  // readable after the call has returned
  // Whether the call returned true; false if it has not returned. Ends the child.
  bool end();

 private:
  pid_t child_ = -1;
  Descriptor returned_;
};

// Becomes readable when no process holds an exclusive flock(2) on a file. Holds the lock only for a
// moment itself.
class ReleaseWatch {
 public:
  explicit ReleaseWatch(Descriptor file);  // throws Error
  int descriptor() const { return call_.descriptor(); }

 private:
  Descriptor file_;
  BlockedCall call_;
};

}  // namespace topsctl

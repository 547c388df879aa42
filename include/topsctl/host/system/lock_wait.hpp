// Waiting for file locks, with a limit: the kernel's own waits have none.
#pragma once

#include <sys/types.h>

#include <functional>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

enum class LockKind {
  whole,   // flock(2), exclusive
  record,  // F_OFD_SETLK, for writing, of the whole file: what dpkg's locks exclude
};

// Waits for a lock on an open file, which then has it. False if the time is over or a signal has
// come. The waiter has all descriptors of ours: meanwhile nothing is let go by closing it. Throws
// Error if no process can be started.
bool lock_within(const Descriptor& file, LockKind kind, const WaitLimit& limit);

// A child of ours that is blocked in one call. It ends with us, and with this object. Made and used
// by one thread.
class BlockedCall {
 public:
  // `call` must be safe after fork in a process of several threads: system calls only. Throws
  // Error.
  explicit BlockedCall(const std::function<bool()>& call);
  ~BlockedCall();
  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;

  int descriptor() const { return returned_.get(); }  // readable once the call has returned
  // Whether the call returned true; false if it has not returned. Ends the child.
  bool end();

 private:
  pid_t child_ = -1;
  Descriptor returned_;
};

// Becomes readable once nobody holds an exclusive flock(2) on a file. Takes none that another one
// could meet for longer than a moment.
class ReleaseWatch {
 public:
  explicit ReleaseWatch(Descriptor file);  // throws Error
  int descriptor() const { return call_.descriptor(); }

 private:
  Descriptor file_;
  BlockedCall call_;
};

}  // namespace topsctl

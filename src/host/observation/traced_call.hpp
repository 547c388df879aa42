// The call in which a traced process has stopped, before the kernel makes it.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>

#include "topsctl/host/observation/call_notice.hpp"

namespace topsctl {

// Whether the registers of this architecture are supported.
bool can_trace_calls();

// ptrace(2), which returns -1 with errno set.
long trace(__ptrace_request request, pid_t process, std::uint64_t address = 0,
           std::uint64_t data = 0);

// For the tracer of the process. Functions with a bool result return false with errno set.
class TracedCall {
 public:
  explicit TracedCall(pid_t process) : process_(process) {}

  bool read();

  // False after a change of user id, if the tracer lacks CAP_SYS_PTRACE.
  bool is_readable() const { return is_readable_; }
  // Makes the process open itself by a call in place of this one, which is then restarted.
  bool make_readable();

  CallNotice notice() const;
  // Skips the call; the process gets this errno.
  bool refuse(int reason);

 private:
  pid_t process_;
  user_regs_struct registers_{};
  bool is_readable_ = false;
  bool is_compatible_ = false;  // of i386
};

}  // namespace topsctl

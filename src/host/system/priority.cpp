// Lowers the priority of a thread: Linux gives each its own (setpriority(2), "C library/kernel
// differences").
#include "topsctl/host/system/priority.hpp"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace topsctl {

namespace {

constexpr int low = 19;

id_t this_thread() {
  return static_cast<id_t>(::gettid());
}

// Whether a priority that was lowered can be raised again: root of a container often may not.
bool may_raise() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  return ::syscall(SYS_capget, &header, sets.data()) == 0 &&
         (sets[0].effective & (1U << CAP_SYS_NICE)) != 0;
}

}  // namespace

LowPriority::LowPriority() {
  errno = 0;
  before_ = ::getpriority(PRIO_PROCESS, this_thread());
  if (errno != 0 || before_ >= low) return;
  is_lowered_ = may_raise() && ::setpriority(PRIO_PROCESS, this_thread(), low) == 0;
}

LowPriority::~LowPriority() {
  if (is_lowered_) ::setpriority(PRIO_PROCESS, this_thread(), before_);
}

}  // namespace topsctl

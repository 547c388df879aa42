// Lowers the priority of a thread: Linux gives each its own (setpriority(2), "C library/kernel
// differences").
#include "topsctl/host/priority.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace topsctl {

namespace {

constexpr int low = 19;

id_t this_thread() {
  return static_cast<id_t>(::gettid());
}

}  // namespace

LowPriority::LowPriority() {
  errno = 0;
  before_ = ::getpriority(PRIO_PROCESS, this_thread());
  if (errno != 0 || before_ >= low) return;
  is_lowered_ = ::geteuid() == 0 && ::setpriority(PRIO_PROCESS, this_thread(), low) == 0;
}

LowPriority::~LowPriority() {
  if (is_lowered_) ::setpriority(PRIO_PROCESS, this_thread(), before_);
}

}  // namespace topsctl

// Takes capabilities from this process, by the kernel's own calls.
#include "host/system/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace topsctl {

namespace {

// Of a program in an enclosure: what would reach the machine itself. Numbers of capability.h, as
// older headers lack the last ones.
constexpr std::array<int, 16> forbidden_capabilities = {
    CAP_SYS_MODULE,    CAP_SYS_RAWIO,      CAP_SYS_ADMIN,  CAP_SYS_BOOT,
    CAP_SYS_TIME,      CAP_SYS_TTY_CONFIG, CAP_SYS_PACCT,  CAP_MAC_OVERRIDE,
    CAP_MAC_ADMIN,     CAP_SYSLOG,         CAP_WAKE_ALARM, CAP_BLOCK_SUSPEND,
    CAP_AUDIT_CONTROL, 38 /* perfmon */,   39 /* bpf */,   40 /* checkpoint_restore */};

}  // namespace

bool give_up_capabilities() {
  for (const int capability : forbidden_capabilities) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return false;
  }
  // What a program of root inherits it would keep.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  for (__user_cap_data_struct& set : sets) set.inheritable = 0;
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

}  // namespace topsctl

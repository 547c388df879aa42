// Namespaces, root, filter and capabilities, by the kernel's own calls.
#include "host/system/enclosure.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "topsctl/host/system/call_filter.hpp"

namespace topsctl {

namespace {

// Of a program in an enclosure: what containers have and packages need, without CAP_MKNOD and
// CAP_NET_RAW. Each of the others reaches the machine itself, its devices or its processes.
constexpr std::array<int, 12> kept_capabilities = {
    CAP_CHOWN,       CAP_DAC_OVERRIDE, CAP_FOWNER,  CAP_FSETID,           CAP_KILL,
    CAP_SETGID,      CAP_SETUID,       CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT,
    CAP_AUDIT_WRITE, CAP_SETFCAP};
constexpr int most_capabilities = 64;  // bits of the kernel's set; newer ones are given up, too

bool is_kept(int capability) {
  return std::find(kept_capabilities.begin(), kept_capabilities.end(), capability) !=
         kept_capabilities.end();
}

// A root by chroot alone can be left by who may chroot: in mounts of its own, the new root covers
// the machine's. Not pivot_root, which cannot be where the machine's is the initial RAM disk.
bool make_root_of_all() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(".", "/", nullptr, MS_MOVE, nullptr) == 0 && ::chroot(".") == 0;
}

bool give_up_capabilities() {
  for (int capability = 0; capability < most_capabilities; ++capability) {
    if (is_kept(capability)) continue;
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EINVAL) return false;
  }
  // What a program of root inherits it would keep.
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return false;
  for (__user_cap_data_struct& set : sets) set.inheritable = 0;
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

}  // namespace

bool enter_enclosure(const Enclosure& enclosure) {
  return ::setns(enclosure.network.get(), CLONE_NEWNET) == 0 &&
         ::setns(enclosure.messages.get(), CLONE_NEWIPC) == 0 &&
         ::setns(enclosure.names.get(), CLONE_NEWUTS) == 0 &&
         ::setns(enclosure.mounts.get(), CLONE_NEWNS) == 0 && ::fchdir(enclosure.root.get()) == 0 &&
         make_root_of_all() && filter_calls() && give_up_capabilities();
}

}  // namespace topsctl

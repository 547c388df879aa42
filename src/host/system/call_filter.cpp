// The filter as instructions for the kernel: each refused call is one comparison and one answer.
#include "topsctl/host/system/call_filter.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "topsctl/host/system/filter_text.hpp"

namespace topsctl {

namespace {

constexpr std::uint32_t new_namespaces =
    static_cast<std::uint32_t>(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                               CLONE_NEWUTS | CLONE_NEWUSER | CLONE_NEWCGROUP);

constexpr auto refused_calls = std::to_array<std::uint32_t>({
#ifdef __x86_64__
    SYS_ioperm,
    SYS_iopl,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_sysfs,
    SYS__sysctl,
#endif
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    467 /* open_tree_attr */,
    SYS_unshare,
    SYS_setns,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_open_by_handle_at,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_syslog,
    SYS_vhangup,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_lookup_dcookie});

// To these a program has another way when the kernel does not know them. What they are to do
// stands in memory, where a filter cannot look.
constexpr auto unknown_calls = std::to_array<std::uint32_t>(
    {SYS_clone3, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register});

constexpr std::uint32_t refusal = SECCOMP_RET_ERRNO | EPERM;

void judge_clone(FilterText& filter) {
  filter.skip(BPF_JEQ, SYS_clone, 0, 4);
  filter.load(FilterText::argument(0));
  filter.when(BPF_JSET, new_namespaces, refusal);
  filter.answer(SECCOMP_RET_ALLOW);
}

// Also the whiteouts of an overlay, which nobody needs a capability for.
void judge_device(FilterText& filter, std::uint32_t call, std::size_t mode) {
  filter.skip(BPF_JEQ, call, 0, 7);
  filter.load(FilterText::argument(mode));
  filter.keep_bits(S_IFMT);
  filter.when(BPF_JEQ, S_IFCHR, refusal);
  filter.when(BPF_JEQ, S_IFBLK, refusal);
  filter.answer(SECCOMP_RET_ALLOW);
}

}  // namespace

bool can_filter_calls() {
  // Without a filter a kernel that has them finds fault with the address.
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) != 0 && errno == EFAULT;
}

bool filter_calls() {
  FilterText filter(SECCOMP_RET_ERRNO | ENOSYS);
  for (const std::uint32_t call : refused_calls) filter.when(BPF_JEQ, call, refusal);
  for (const std::uint32_t call : unknown_calls)
    filter.when(BPF_JEQ, call, SECCOMP_RET_ERRNO | ENOSYS);
  judge_clone(filter);
#ifdef SYS_mknod
  judge_device(filter, SYS_mknod, 1);
#endif
  judge_device(filter, SYS_mknodat, 2);
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.apply();
}

}  // namespace topsctl

// The filter as instructions for the kernel: each refused call is one comparison and one answer.
#include "topsctl/host/system/call_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace topsctl {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#else
#error "system calls of this architecture are unknown"
#endif
constexpr std::uint32_t first_of_x32 = 0x40000000;
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

// Where an argument's lower half stands; both architectures are little-endian.
constexpr std::uint32_t argument(std::size_t index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * index);
}

class FilterText {
 public:
  FilterText() {
    load(offsetof(seccomp_data, arch));
    unless(BPF_JEQ, own_architecture, SECCOMP_RET_ERRNO | ENOSYS);
    load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
    when(BPF_JGE, first_of_x32, SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (const std::uint32_t call : refused_calls) when(BPF_JEQ, call, refusal);
    for (const std::uint32_t call : unknown_calls) when(BPF_JEQ, call, SECCOMP_RET_ERRNO | ENOSYS);
    judge_clone();
#ifdef SYS_mknod
    judge_device(SYS_mknod, 1);
#endif
    judge_device(SYS_mknodat, 2);
    answer(SECCOMP_RET_ALLOW);
  }
  sock_fprog program() {
    return {used_, lines_.data()};
  }

 private:
  static constexpr std::uint32_t refusal = SECCOMP_RET_ERRNO | EPERM;

  void add(sock_filter line) {
    lines_.at(used_++) = line;
  }
  void load(std::uint32_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  }
  void answer(std::uint32_t what) {
    add(BPF_STMT(BPF_RET | BPF_K, what));
  }
  void skip(std::uint16_t comparison, std::uint32_t value, std::uint8_t if_so,
            std::uint8_t if_not) {
    add(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, if_so, if_not));
  }
  void when(std::uint16_t comparison, std::uint32_t value, std::uint32_t what) {
    skip(comparison, value, 0, 1);
    answer(what);
  }
  void unless(std::uint16_t comparison, std::uint32_t value, std::uint32_t what) {
    skip(comparison, value, 1, 0);
    answer(what);
  }

  void judge_clone() {
    skip(BPF_JEQ, SYS_clone, 0, 4);
    load(argument(0));
    when(BPF_JSET, new_namespaces, refusal);
    answer(SECCOMP_RET_ALLOW);
  }

  // Also the whiteouts of an overlay, which nobody needs a capability for.
  void judge_device(std::uint32_t call, std::size_t mode) {
    skip(BPF_JEQ, call, 0, 7);
    load(argument(mode));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, S_IFMT));
    when(BPF_JEQ, S_IFCHR, refusal);
    when(BPF_JEQ, S_IFBLK, refusal);
    answer(SECCOMP_RET_ALLOW);
  }

  std::array<sock_filter, 160> lines_{};
  std::uint16_t used_ = 0;
};

}  // namespace

bool can_filter_calls() {
  // Without a filter a kernel that has them finds fault with the address.
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) != 0 && errno == EFAULT;
}

bool filter_calls() {
  FilterText filter;
  const sock_fprog program = filter.program();
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace topsctl

// Runs a program as an older kernel or a container would have it:
// older_kernel 4.15|5.4|docker|no-ptrace|filtered... COMMAND... By filters of system calls, so for
// x86-64 and its 32-bit programs alone. A double: what the kernel does with the calls that it knows
// is what this machine's kernel does; a real older one is booted by tests/machines.
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint32_t refusal(int reason) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(reason);
}

class Filter {
 public:
  void load(std::size_t offset) {
    lines_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void load_argument(std::size_t index) { load(offsetof(seccomp_data, args) + 8 * index); }
  void answer(std::uint32_t what) { lines_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void when(std::uint16_t comparison, std::uint32_t value, std::uint32_t what) {
    lines_.push_back(
        BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | BPF_K | comparison), value, 0, 1));
    answer(what);
  }
  // Of one call: the answer if an argument compares so.
  void when_argument(int call, std::size_t index, std::uint16_t comparison, std::uint32_t value,
                     std::uint32_t what) {
    lines_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4));
    load_argument(index);
    when(comparison, value, what);
    load(offsetof(seccomp_data, nr));
  }
  void refuse(std::initializer_list<int> calls, int reason) {
    for (const int call : calls) when(BPF_JEQ, static_cast<std::uint32_t>(call), refusal(reason));
  }
  // Those of i386 from this number on are unknown; all others of another architecture as they are.
  void begin(std::uint32_t compatible_unknown) {
    load(offsetof(seccomp_data, arch));
    lines_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 4, 0));
    load(offsetof(seccomp_data, nr));
    when(BPF_JGE, compatible_unknown, refusal(ENOSYS));
    answer(SECCOMP_RET_ALLOW);
    load(offsetof(seccomp_data, nr));
  }
  void apply(unsigned long flags = 0) {
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program = {static_cast<unsigned short>(lines_.size()), lines_.data()};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) < 0) {
      std::perror("older_kernel: seccomp");
      std::exit(125);
    }
  }

 private:
  std::vector<sock_filter> lines_;
};

// All calls from `unknown` on came later; no user notification.
void be_older(std::uint32_t unknown, std::uint32_t compatible_unknown) {
  constexpr std::uint32_t new_listener = 8;
  constexpr std::uint32_t notice_sizes = 3;
  constexpr std::uint32_t later_fields = 0x7000;  // of statx(2): STATX_MNT_ID and what followed
  Filter filter;
  filter.begin(compatible_unknown);
  filter.when(BPF_JGE, unknown, refusal(ENOSYS));
  filter.when_argument(SYS_seccomp, 0, BPF_JEQ, notice_sizes, refusal(EINVAL));
  filter.when_argument(SYS_seccomp, 1, BPF_JSET, new_listener, refusal(EINVAL));
  filter.when_argument(SYS_statx, 3, BPF_JSET, later_fields, refusal(ENOSYS));
  filter.apply();
}

// What Docker's default profile refuses to whoever lacks the capabilities for it.
void be_in_docker() {
  constexpr std::uint32_t namespaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                                       CLONE_NEWUTS | CLONE_NEWUSER | CLONE_NEWCGROUP;
  Filter filter;
  filter.begin(UINT32_MAX);
  filter.when_argument(SYS_clone, 0, BPF_JSET, namespaces, refusal(EPERM));
  filter.refuse({SYS_clone3}, ENOSYS);
  filter.refuse({SYS_mount,
                 SYS_umount2,
                 SYS_pivot_root,
                 SYS_unshare,
                 SYS_setns,
                 SYS_bpf,
                 SYS_keyctl,
                 SYS_add_key,
                 SYS_request_key,
                 SYS_open_by_handle_at,
                 SYS_perf_event_open,
                 SYS_quotactl,
                 SYS_sethostname,
                 SYS_setdomainname,
                 SYS_acct,
                 SYS_swapon,
                 SYS_swapoff,
                 SYS_reboot,
                 SYS_init_module,
                 SYS_finit_module,
                 SYS_delete_module,
                 SYS_kexec_load,
                 SYS_kexec_file_load,
                 SYS_iopl,
                 SYS_ioperm,
                 SYS_settimeofday,
                 SYS_clock_settime,
                 SYS_syslog,
                 SYS_vhangup,
                 SYS_lookup_dcookie,
                 SYS_userfaultfd,
                 SYS_fanotify_init,
                 SYS_move_pages,
                 SYS_mbind,
                 SYS_kcmp,
                 SYS_uselib,
                 SYS_ustat,
                 SYS_sysfs,
                 SYS_io_uring_setup,
                 SYS_io_uring_enter,
                 SYS_io_uring_register,
                 SYS_open_tree,
                 SYS_move_mount,
                 SYS_fsopen,
                 SYS_fsconfig,
                 SYS_fsmount,
                 SYS_fspick},
                EPERM);
  filter.apply();
  const std::set<unsigned long> kept = {
      CAP_CHOWN,      CAP_DAC_OVERRIDE, CAP_FOWNER,      CAP_FSETID,           CAP_KILL,
      CAP_SETGID,     CAP_SETUID,       CAP_SETPCAP,     CAP_NET_BIND_SERVICE, CAP_NET_RAW,
      CAP_SYS_CHROOT, CAP_MKNOD,        CAP_AUDIT_WRITE, CAP_SETFCAP};
  for (unsigned long each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; ++each) {
    if (!kept.contains(each)) prctl(PR_CAPBSET_DROP, each, 0, 0, 0);
  }
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct rights[2] = {};
  for (const unsigned long each : kept) {
    rights[each / 32].effective |= 1U << each % 32;
    rights[each / 32].permitted |= 1U << each % 32;
  }
  if (syscall(SYS_capset, &header, rights) != 0) {
    std::perror("older_kernel: capset");
    std::exit(125);
  }
}

void refuse_all(std::initializer_list<int> calls) {
  Filter filter;
  filter.begin(UINT32_MAX);
  filter.refuse(calls, EPERM);
  filter.apply();
}

bool change(std::string_view how) {
  constexpr unsigned long listener = 8;
  if (how == "4.15") {
    be_older(333, 385);
  } else if (how == "5.4") {
    be_older(436, 436);
  } else if (how == "docker") {
    be_in_docker();
  } else if (how == "no-ptrace") {
    refuse_all({SYS_ptrace});
  } else if (how == "no-filters") {
    // Last of all: no more can follow.
    Filter filter;
    filter.begin(UINT32_MAX);
    filter.when_argument(SYS_prctl, 0, BPF_JEQ, PR_SET_SECCOMP, refusal(EACCES));
    filter.refuse({SYS_seccomp}, EACCES);
    filter.apply();
  } else if (how == "no-readv") {
    refuse_all({SYS_process_vm_readv});
  } else if (how == "listener") {
    // As container managers have one: it allows everything.
    Filter().apply(listener);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  int at = 1;
  while (at < count && change(words[at])) ++at;
  if (at == 1 || at == count) {
    std::fputs(
        "usage: older_kernel 4.15|5.4|docker|no-ptrace|no-filters|no-readv|listener... "
        "COMMAND...\n",
        stderr);
    return 125;
  }
  execvp(words[at], words + at);
  std::perror("older_kernel: exec");
  return 127;
}

// The list of allowed calls, as instructions for the kernel.
#include "host/system/reader_filter.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "topsctl/host/system/filter_text.hpp"

namespace topsctl {

namespace {

// The most frequent first.
constexpr auto calls_of_readers = std::to_array<std::uint32_t>({SYS_futex,
                                                                SYS_read,
                                                                SYS_pread64,
                                                                SYS_write,
                                                                SYS_munmap,
                                                                SYS_madvise,
                                                                SYS_pwrite64,
                                                                SYS_sync_file_range,
                                                                SYS_sendmsg,
                                                                SYS_recvmsg,
                                                                SYS_sendto,
                                                                SYS_recvfrom,
                                                                SYS_lseek,
                                                                SYS_fstat,
                                                                SYS_ftruncate,
                                                                SYS_fadvise64,
                                                                SYS_brk,
                                                                SYS_mremap,
                                                                SYS_close,
                                                                SYS_clock_gettime,
                                                                SYS_gettimeofday,
                                                                SYS_sched_yield,
                                                                SYS_clock_nanosleep,
                                                                SYS_nanosleep,
                                                                SYS_getrandom,
                                                                SYS_rt_sigprocmask,
                                                                SYS_rt_sigaction,
                                                                SYS_rt_sigreturn,
                                                                SYS_sigaltstack,
                                                                SYS_set_robust_list,
                                                                SYS_rseq,
                                                                SYS_sched_getaffinity,
                                                                SYS_gettid,
                                                                SYS_getpid,
                                                                SYS_getpriority,
                                                                SYS_capget,
                                                                SYS_membarrier,
                                                                SYS_restart_syscall,
                                                                SYS_exit,
                                                                SYS_exit_group});

#ifdef TOPSCTL_SANITIZED
// UBSan uses pipes to test whether an address is readable.
constexpr auto calls_of_sanitizers = std::to_array<std::uint32_t>(
    {SYS_pipe2, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_mincore, SYS_writev, SYS_dup});
#endif

// Optional calls of libraries: an error is better than a kill.
constexpr auto vain_calls = std::to_array<std::uint32_t>(
    {SYS_openat, SYS_faccessat, SYS_readlinkat, SYS_statx, SYS_ioctl, SYS_fcntl, SYS_prctl,
     SYS_sysinfo, SYS_uname, SYS_prlimit64, SYS_getrusage, SYS_setpriority, SYS_unlinkat,
#ifdef __x86_64__
     SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_unlink
#endif
    });

constexpr std::uint32_t refused = SECCOMP_RET_ERRNO | EACCES;

// The flags of pthread_create(3): allows only threads of this process.
void judge_threads(FilterText& filter) {
  constexpr auto thread = static_cast<std::uint32_t>(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD);
  filter.skip(BPF_JEQ, SYS_clone, 0, 5);
  filter.load(FilterText::argument(0));
  filter.keep_bits(thread);
  filter.when(BPF_JEQ, thread, SECCOMP_RET_ALLOW);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
}

// Forbids executable memory.
void judge_memory(FilterText& filter, std::uint32_t call) {
  filter.skip(BPF_JEQ, call, 0, 4);
  filter.load(FilterText::argument(2));
  filter.when(BPF_JSET, PROT_EXEC, refused);
  filter.answer(SECCOMP_RET_ALLOW);
}

// fstat(3) of a descriptor, as newer C libraries make it.
void judge_stat(FilterText& filter) {
  filter.skip(BPF_JEQ, SYS_newfstatat, 0, 4);
  filter.load(FilterText::argument(3));
  filter.when(BPF_JEQ, AT_EMPTY_PATH, SECCOMP_RET_ALLOW);
  filter.answer(refused);
}

// abort(3): allows signals only to this process.
void judge_signals(FilterText& filter) {
  filter.skip(BPF_JEQ, SYS_tgkill, 0, 4);
  filter.load(FilterText::argument(0));
  filter.when(BPF_JEQ, static_cast<std::uint32_t>(::getpid()), SECCOMP_RET_ALLOW);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
}

}  // namespace

bool allow_reading_calls() {
  FilterText filter(SECCOMP_RET_KILL_PROCESS);
  for (const std::uint32_t call : calls_of_readers) filter.when(BPF_JEQ, call, SECCOMP_RET_ALLOW);
#ifdef TOPSCTL_SANITIZED
  for (const std::uint32_t call : calls_of_sanitizers)
    filter.when(BPF_JEQ, call, SECCOMP_RET_ALLOW);
#endif
  judge_memory(filter, SYS_mmap);
  judge_memory(filter, SYS_mprotect);
  judge_threads(filter);
  // Its arguments are in memory, where a filter cannot read them; C libraries fall back to clone.
  filter.when(BPF_JEQ, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  judge_stat(filter);
  judge_signals(filter);
  for (const std::uint32_t call : vain_calls) filter.when(BPF_JEQ, call, refused);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  return filter.apply();
}

}  // namespace topsctl

// The table of calls, and the filter made from it.
#include "topsctl/host/observation/observed_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace topsctl {

namespace {

using Kind = CallKind;

constexpr int none = -1;
// For 32-bit programs on x86-64.
[[maybe_unused]] constexpr std::uint32_t compatible_architecture = AUDIT_ARCH_I386;

struct ObservedCall {
  int number;             // of our own architecture
  int compatible_number;  // of i386
  CallShape shape;
};

// Newer calls have the same numbers on all architectures.
constexpr auto observed_calls = std::to_array<ObservedCall>({
#ifdef __x86_64__
    {SYS_open, 5, {Kind::open, -1, 0, -1, -1, 1}},
    {SYS_creat, 8, {Kind::create, -1, 0}},
    {SYS_rename, 38, {Kind::rename, -1, 0, -1, 1}},
    {SYS_link, 9, {Kind::link, -1, 0, -1, 1}},
    {SYS_symlink, 83, {Kind::make, -1, 1}},
    {SYS_unlink, 10, {Kind::remove, -1, 0}},
    {SYS_rmdir, 40, {Kind::remove, -1, 0}},
    {SYS_mkdir, 39, {Kind::make_folder, -1, 0}},
    {SYS_mknod, 14, {Kind::make, -1, 0}},
    {SYS_chmod, 15, {Kind::set, -1, 0}},
    {SYS_chown, 182, {Kind::set, -1, 0}},
    {none, 212, {Kind::set, -1, 0}},
    {SYS_lchown, 16, {Kind::set_link, -1, 0}},
    {none, 198, {Kind::set_link, -1, 0}},
    {SYS_utime, 30, {Kind::set, -1, 0}},
    {SYS_utimes, 271, {Kind::set, -1, 0}},
    {SYS_futimesat, 299, {Kind::set, 0, 1}},
    {none, 193, {Kind::truncate, -1, 0}},       // truncate64
    {none, 207, {Kind::set_open, 0}},           // fchown32
    {none, 412, {Kind::set, 0, 1, -1, -1, 3}},  // utimensat_time64
    {none, 102, {Kind::socketcall}},
    {none, 22, {Kind::new_tree}},  // umount
#endif
    {SYS_openat, 295, {Kind::open, 0, 1, -1, -1, 2}},
    {437 /* openat2 */, 437, {Kind::open_how, 0, 1, -1, -1, 2}},
    {SYS_truncate, 92, {Kind::truncate, -1, 0}},
#ifdef SYS_renameat
    {SYS_renameat, 302, {Kind::rename, 0, 1, 2, 3}},
#endif
    {SYS_renameat2, 353, {Kind::rename, 0, 1, 2, 3, 4}},
    {SYS_linkat, 303, {Kind::link, 0, 1, 2, 3, 4}},
    {SYS_symlinkat, 304, {Kind::make, 1, 2}},
    {SYS_unlinkat, 301, {Kind::remove, 0, 1}},
    {SYS_mkdirat, 296, {Kind::make_folder, 0, 1}},
    {SYS_mknodat, 297, {Kind::make, 0, 1}},
    {SYS_fchmod, 94, {Kind::set_open, 0}},
    {SYS_fchmodat, 306, {Kind::set, 0, 1}},
    {452 /* fchmodat2 */, 452, {Kind::set, 0, 1, -1, -1, 3}},
    {SYS_fchown, 95, {Kind::set_open, 0}},
    {SYS_fchownat, 298, {Kind::set, 0, 1, -1, -1, 4}},
    {SYS_utimensat, 320, {Kind::set, 0, 1, -1, -1, 3}},
    {SYS_setxattr, 226, {Kind::set, -1, 0}},
    {SYS_lsetxattr, 227, {Kind::set_link, -1, 0}},
    {SYS_fsetxattr, 228, {Kind::set_open, 0}},
    {SYS_removexattr, 235, {Kind::set, -1, 0}},
    {SYS_lremovexattr, 236, {Kind::set_link, -1, 0}},
    {SYS_fremovexattr, 237, {Kind::set_open, 0}},
    {463 /* setxattrat */, 463, {Kind::set, 0, 1, -1, -1, 2}},
    {466 /* removexattrat */, 466, {Kind::set, 0, 1, -1, -1, 2}},
    {SYS_bind, 361, {Kind::bind, 0, 1, -1, -1, 2}},
    {SYS_chroot, 61, {Kind::new_tree}},
    {SYS_pivot_root, 217, {Kind::new_tree}},
    {SYS_mount, 21, {Kind::new_tree}},
    {SYS_umount2, 52, {Kind::new_tree}},
    {429 /* move_mount */, 429, {Kind::new_tree}},
});

struct JudgedCalls {
  std::array<int, 4> unknown;  // io_uring, and clone3, whose flags are in memory
  std::array<int, 3> refused;  // open_by_handle_at, setns, acct
  int clone;
  int unshare;
  int ioctl;
  int set_flags;  // file_setattr
};

constexpr JudgedCalls own_judged = {{425, 426, 427, 435},
                                    {SYS_open_by_handle_at, SYS_setns, SYS_acct},
                                    SYS_clone,
                                    SYS_unshare,
                                    SYS_ioctl,
                                    469};
[[maybe_unused]] constexpr JudgedCalls compatible_judged = {
    {425, 426, 427, 435}, {342, 346, 51}, 120, 310, 54, 469};

// FS_IOC_SETFLAGS of 64 and 32 bits, FS_IOC_FSSETXATTR.
constexpr std::array<std::uint32_t, 3> flag_requests = {0x40086602, 0x40046602, 0x401C5820};
constexpr std::uint32_t writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
constexpr std::uint32_t bind_request = 2;  // SYS_BIND of socketcall(2)

constexpr std::uint32_t told = SECCOMP_RET_TRACE;
constexpr std::uint32_t answer_of(int reason) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(reason);
}

std::uint32_t call_number(int number) {
  return static_cast<std::uint32_t>(number);
}

// Reports the call if an argument has one of these bits.
void add_if_bits(FilterText& filter, int call, std::size_t argument, std::uint32_t bits,
                 std::uint32_t what) {
  filter.skip(BPF_JEQ, call_number(call), 0, 4);
  filter.load(FilterText::argument(argument));
  filter.when(BPF_JSET, bits, what);
  filter.answer(SECCOMP_RET_ALLOW);
}

// The same if the argument is exactly this value.
void add_if_equal(FilterText& filter, int call, std::size_t argument, std::uint32_t value,
                  std::uint32_t what) {
  filter.skip(BPF_JEQ, call_number(call), 0, 4);
  filter.load(FilterText::argument(argument));
  filter.when(BPF_JEQ, value, what);
  filter.answer(SECCOMP_RET_ALLOW);
}

void add_calls(FilterText& filter, int ObservedCall::*number, const JudgedCalls& judged) {
  for (const ObservedCall& call : observed_calls) {
    if (call.*number == none) continue;
    if (call.shape.kind == Kind::open)
      add_if_bits(filter, call.*number, static_cast<std::size_t>(call.shape.flags), writing_flags,
                  told);
    else if (call.shape.kind == Kind::socketcall)
      add_if_equal(filter, call.*number, 0, bind_request, told);
    else
      filter.when(BPF_JEQ, call_number(call.*number), told);
  }
  for (const int call : judged.unknown) filter.when(BPF_JEQ, call_number(call), answer_of(ENOSYS));
  for (const int call : judged.refused) filter.when(BPF_JEQ, call_number(call), answer_of(EPERM));
  add_if_bits(filter, judged.clone, 0, CLONE_NEWNS | CLONE_UNTRACED, answer_of(EPERM));
  add_if_bits(filter, judged.unshare, 0, CLONE_NEWNS, answer_of(EPERM));
  filter.when(BPF_JEQ, call_number(judged.set_flags), answer_of(EOPNOTSUPP));
  filter.skip(BPF_JEQ, call_number(judged.ioctl), 0, 2 + 2 * flag_requests.size());
  filter.load(FilterText::argument(1));
  for (const std::uint32_t request : flag_requests)
    filter.when(BPF_JEQ, request, answer_of(EOPNOTSUPP));
  filter.answer(SECCOMP_RET_ALLOW);
  filter.answer(SECCOMP_RET_ALLOW);
}

}  // namespace

const CallShape* shape_of_call(std::uint32_t architecture, int number) {
  const bool is_own = architecture == own_architecture;
  const auto found =
      std::find_if(observed_calls.begin(), observed_calls.end(), [&](const ObservedCall& call) {
        return number == (is_own ? call.number : call.compatible_number);
      });
  return found == observed_calls.end() ? nullptr : &found->shape;
}

FilterText observing_filter() {
  FilterText filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.skip(BPF_JEQ, own_architecture, 1, 0);
  const std::size_t foreign = filter.begin_jump();
  filter.load_number(answer_of(ENOSYS));
  add_calls(filter, &ObservedCall::number, own_judged);
  filter.end_jump(foreign);
#ifdef __x86_64__
  filter.unless(BPF_JEQ, compatible_architecture, answer_of(ENOSYS));
  filter.load(offsetof(seccomp_data, nr));
  add_calls(filter, &ObservedCall::compatible_number, compatible_judged);
#else
  filter.answer(answer_of(ENOSYS));
#endif
  return filter;
}

}  // namespace topsctl

// Which calls are told, and that the kernel judges by the filter as topsctl does.
#include "topsctl/host/observation/observed_calls.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <cerrno>
#include <vector>

#include "topsctl/host/system/process.hpp"

namespace topsctl {
namespace {

constexpr std::uint32_t told = SECCOMP_RET_TRACE;
constexpr std::uint32_t allowed = SECCOMP_RET_ALLOW;

std::uint32_t refused(int reason) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(reason);
}

struct Call {
  long number;
  std::vector<std::uint64_t> arguments;
  std::uint32_t answer;
  std::uint32_t architecture = own_architecture;
};

seccomp_data data_of(const Call& call) {
  seccomp_data data{};
  data.nr = static_cast<int>(call.number);
  data.arch = call.architecture;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) data.args[i] = call.arguments[i];
  return data;
}

constexpr std::uint64_t nowhere = 1;  // no address

// With arguments by which none of them does anything.
const std::vector<Call>& harmless_calls() {
  static const std::vector<Call> calls = {
      {SYS_openat, {static_cast<std::uint64_t>(-1), nowhere, O_RDONLY}, allowed},
      {SYS_openat, {static_cast<std::uint64_t>(-1), nowhere, O_RDONLY | O_CREAT}, told},
      {SYS_openat, {static_cast<std::uint64_t>(-1), nowhere, O_WRONLY}, told},
      {437, {static_cast<std::uint64_t>(-1), nowhere, nowhere, 24}, told},
      {SYS_unlinkat, {static_cast<std::uint64_t>(-1), nowhere, 0}, told},
      {SYS_renameat2,
       {static_cast<std::uint64_t>(-1), nowhere, static_cast<std::uint64_t>(-1), nowhere, 0},
       told},
      {SYS_fchmod, {static_cast<std::uint64_t>(-1), 0}, told},
      {SYS_setxattr, {nowhere, nowhere, nowhere, 0, 0}, told},
      {SYS_chroot, {nowhere}, told},
      {SYS_getcwd, {nowhere, 1}, allowed},
      {SYS_readlinkat, {static_cast<std::uint64_t>(-1), nowhere, nowhere, 1}, allowed},
      {SYS_unshare, {CLONE_NEWNS}, refused(EPERM)},
      {SYS_setns, {static_cast<std::uint64_t>(-1), 0}, refused(EPERM)},
      {SYS_open_by_handle_at, {static_cast<std::uint64_t>(-1), nowhere, 0}, refused(EPERM)},
      {425, {0, nowhere}, refused(ENOSYS)},
      {435, {nowhere, 0}, refused(ENOSYS)},
      {SYS_clone, {CLONE_NEWNS | CLONE_VM | CLONE_THREAD}, refused(EPERM)},
      {SYS_clone, {CLONE_UNTRACED | CLONE_THREAD}, refused(EPERM)},
      {SYS_ioctl, {static_cast<std::uint64_t>(-1), 0x40086602, nowhere}, refused(EOPNOTSUPP)},
      {SYS_ioctl, {static_cast<std::uint64_t>(-1), 0x5401, nowhere}, allowed},
#ifdef __x86_64__
      {SYS_open, {nowhere, O_RDONLY}, allowed},
      {SYS_open, {nowhere, O_RDWR}, told},
      {SYS_rename, {nowhere, nowhere}, told},
      {0x40000000 + SYS_open, {nowhere, O_RDONLY}, refused(ENOSYS)},
#endif
  };
  return calls;
}

TEST(ObservedCalls, AreToldMadeOrRefused) {
  const FilterText filter = observing_filter();
  for (const Call& call : harmless_calls())
    EXPECT_EQ(filter.answer_to(data_of(call)), call.answer) << "call " << call.number;
#ifdef __x86_64__
  const std::vector<Call> compatible = {{5, {nowhere, O_RDONLY}, allowed, AUDIT_ARCH_I386},
                                        {5, {nowhere, O_WRONLY}, told, AUDIT_ARCH_I386},
                                        {102, {2, nowhere}, told, AUDIT_ARCH_I386},
                                        {102, {3, nowhere}, allowed, AUDIT_ARCH_I386},
                                        {120, {CLONE_UNTRACED}, refused(EPERM), AUDIT_ARCH_I386},
                                        {5, {nowhere, O_RDONLY}, refused(ENOSYS), AUDIT_ARCH_ARM}};
  for (const Call& call : compatible)
    EXPECT_EQ(filter.answer_to(data_of(call)), call.answer) << "call " << call.number << " of i386";
#endif
}

// Nobody traces: what is told fails with ENOSYS. Which of them the kernel answers otherwise.
int first_otherwise() {
  const FilterText filter = observing_filter();
  if (!filter.apply()) return EXIT_FAILURE;
  int number = 1;
  for (const Call& call : harmless_calls()) {
    ++number;
    std::vector<std::uint64_t> all = call.arguments;
    all.resize(6);
    const long made = ::syscall(call.number, all[0], all[1], all[2], all[3], all[4], all[5]);
    const int reason = made < 0 ? errno : 0;
    const bool is_allowed = call.answer == allowed;
    const int expected =
        call.answer == told ? ENOSYS : static_cast<int>(call.answer & SECCOMP_RET_DATA);
    if (is_allowed ? reason == ENOSYS : reason != expected) return number;
  }
  return 0;
}

TEST(ObservedCalls, AreJudgedByTheKernelInTheSameWay) {
  const pid_t process = start_copy(first_otherwise);
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FAILURE)
    GTEST_SKIP() << "needs CAP_SYS_ADMIN";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "call " << WEXITSTATUS(status) - 2;
}

}  // namespace
}  // namespace topsctl

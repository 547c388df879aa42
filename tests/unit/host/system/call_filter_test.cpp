// Each call is tried in a process of its own: a filter cannot be taken back.
#include "topsctl/host/system/call_filter.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "support/temporary_folder.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {
namespace {

constexpr int no_filter = 255;

// What errno is after the call, 0 if it succeeds.
template <typename Call>
int errno_behind_filter(Call call) {
  const pid_t child = start_copy([&] {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!filter_calls()) return no_filter;
    return call() >= 0 ? 0 : errno;
  });
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class CallFilters : public testing::Test {
 protected:
  int errno_of_node(mode_t type) {
    const std::string path = (folder_ / "node").string();
    return errno_behind_filter([&] { return ::mknod(path.c_str(), type | 0600U, 0); });
  }
  TemporaryFolder folder_;
};

TEST_F(CallFilters, AreKnownToTheKernel) {
  EXPECT_TRUE(can_filter_calls());
}

TEST_F(CallFilters, RefuseDevicesAndNoOtherNodes) {
  EXPECT_EQ(errno_of_node(S_IFCHR), EPERM);  // 0:0 is a whiteout, which needs no capability
  EXPECT_EQ(errno_of_node(S_IFBLK), EPERM);
  EXPECT_EQ(errno_of_node(S_IFIFO), 0);
}

TEST_F(CallFilters, RefuseNamespaces) {
  EXPECT_EQ(errno_behind_filter([] { return ::unshare(CLONE_NEWUSER); }), EPERM);
  EXPECT_EQ(errno_behind_filter([] { return ::syscall(SYS_clone, CLONE_NEWUSER, 0, 0, 0, 0); }),
            EPERM);
  EXPECT_EQ(errno_behind_filter([] { return ::syscall(SYS_clone3, nullptr, 0); }), ENOSYS);
}

TEST_F(CallFilters, RefuseWhatLooksIntoOthers) {
  EXPECT_EQ(errno_behind_filter([] { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }),
            EPERM);
  EXPECT_EQ(errno_behind_filter([] { return ::syscall(SYS_open_by_handle_at, -1, nullptr, 0); }),
            EPERM);
  EXPECT_EQ(errno_behind_filter([] { return ::syscall(SYS_bpf, 0, nullptr, 0); }), EPERM);
}

TEST_F(CallFilters, LetProgramsStartOthers) {
  EXPECT_EQ(errno_behind_filter([] {
              const pid_t child = ::fork();
              if (child == 0) ::_exit(0);
              return ::waitpid(child, nullptr, 0);
            }),
            0);
}

}  // namespace
}  // namespace topsctl

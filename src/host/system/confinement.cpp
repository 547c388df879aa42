// User, limits, Landlock and seccomp, by the kernel's own calls.
#include "host/system/confinement.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "host/system/reader_filter.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/confined_call.hpp"

namespace topsctl {

namespace {

constexpr uid_t nobody = 65534;  // Debian's unprivileged user and group; owns no file

void close_all_but(int kept) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {0, 1, 2}) {
    if (null < 0 || ::dup2(null, stream) < 0) ::close(stream);
  }
  ::dup2(kept, kept_descriptor);
  // From Linux 5.9 on; else one by one.
  if (::syscall(SYS_close_range, kept_descriptor + 1U, ~0U, 0U) == 0) return;
  std::vector<int> open;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int descriptor : open) {
    if (descriptor > kept_descriptor) ::close(descriptor);
  }
}

void limit(__rlimit_resource_t resource, rlim_t most) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0) return;
  limits = {std::min(limits.rlim_max, most), std::min(limits.rlim_max, most)};
  ::setrlimit(resource, &limits);
}

void limit_resources() {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 256);
#ifndef TOPSCTL_SANITIZED  // whose shadow is larger than any memory
  limit(RLIMIT_DATA, 4ULL << 30U);
#endif
}

bool become_nobody() {
  return ::geteuid() != 0 ||
         (::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
          ::setresuid(nobody, nobody, nobody) == 0);
}

// Forbids all paths: landlock(7). Kernels before 5.13 lack it; the filter suffices there.
void give_up_paths() {
  constexpr std::uint64_t first_rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1U) - 1;
  const landlock_ruleset_attr all = {.handled_access_fs = first_rights};
  const auto rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0));
  if (rules < 0) return;
  ::syscall(SYS_landlock_restrict_self, rules, 0);
  ::close(rules);
}

bool has_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

// Without a filter a kernel that has them finds fault with the address.
bool has_call_filters() {
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) != 0 && errno == EFAULT;
}

std::string reason(const char* what) {
  return format("{} ({})", what, std::strerror(errno));
}

}  // namespace

std::vector<std::string> walls_of_sandbox() {
  std::vector<std::string> walls;
  walls.push_back(::geteuid() == 0 ? format("user nobody, without capabilities")
                                   : format("the user that runs topsctl"));
  if (!has_call_filters()) {
    walls.push_back(format("all system calls: this kernel cannot filter them"));
    return walls;
  }
  walls.push_back(format("some 50 system calls, none that opens a path, a socket or a process"));
  walls.push_back(has_landlock() ? format("no path, by Landlock, too")
                                 : format("no Landlock (Linux 5.13): paths are closed by the "
                                          "filter of system calls alone"));
  return walls;
}

std::string confine_this_process(int kept) {
  close_all_but(kept);
  limit_resources();
  std::string missing;
  if (!become_nobody()) missing = reason("the reader runs as root");
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return reason("the kernel cannot confine the reader");
  give_up_paths();
  if (!allow_reading_calls()) missing = reason("the kernel cannot filter system calls");
  return missing;
}

}  // namespace topsctl

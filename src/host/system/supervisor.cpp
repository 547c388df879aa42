// fork, exec, and /proc for those that went away from their parents.
#include "topsctl/host/system/supervisor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr int cannot_start = 127;
constexpr int signal_base = 128;

sigset_t child_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return set;
}

[[noreturn]] void become(const std::vector<std::string>& argv,
                         const std::map<std::string, std::string>& environment, int output,
                         pid_t parent) {
  const sigset_t set = child_signal();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  // It may have died before.
  if (::getppid() != parent) ::_exit(cannot_start);
  try {
    exec_program(argv, environment);
  } catch (const Error& error) {
    const std::string line = concat(error.message(), "\n");
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  }
  ::_exit(cannot_start);
}

// The parent in "PID (NAME) S PARENT ...": the name may have blanks and brackets (proc(5)).
std::optional<pid_t> parent_in(const std::string& stat) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= stat.size()) return std::nullopt;
  pid_t parent = 0;
  const char* first = stat.data() + name_end + 4;
  const auto [end, error] = std::from_chars(first, stat.data() + stat.size(), parent);
  if (error != std::errc()) return std::nullopt;
  return parent;
}

std::multimap<pid_t, pid_t> processes_by_parent() {
  std::multimap<pid_t, pid_t> found;
  std::error_code failure;
  for (fs::directory_iterator at("/proc", failure); !failure && at != fs::directory_iterator();
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!is_digits(name)) continue;
    try {
      const auto parent = parent_in(read_text_if_present(at->path() / "stat").value_or(""));
      if (parent) found.emplace(*parent, static_cast<pid_t>(std::stoi(name)));
    } catch (const Error&) {
      // It has just ended.
    }
  }
  return found;
}

}  // namespace

Supervisor::Supervisor() {
  const sigset_t set = child_signal();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ended_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!ended_.is_open()) throw system_error(errno, "watch", "processes");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Supervisor::~Supervisor() {
  // Who is killed may have started another one at that moment.
  while (has_children_) {
    signal_all(SIGKILL);
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) break;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  const sigset_t set = child_signal();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

pid_t Supervisor::start(const std::vector<std::string>& argv,
                        const std::map<std::string, std::string>& environment,
                        const Descriptor& output) {
  const pid_t parent = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) throw system_error(errno, "start", argv.front());
  if (program == 0) become(argv, environment, output.get(), parent);
  has_children_ = true;
  return program;
}

void Supervisor::reap() {
  signalfd_siginfo ignored{};
  while (::read(ended_.get(), &ignored, sizeof ignored) > 0) {
  }
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    has_children_ = ended == 0;
    if (ended <= 0) return;
    statuses_[ended] = WIFSIGNALED(status) ? signal_base + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

std::optional<int> Supervisor::status(pid_t program) const {
  const auto found = statuses_.find(program);
  return found == statuses_.end() ? std::nullopt : std::optional(found->second);
}

void Supervisor::signal_all(int number) const {
  for (const pid_t each : descendants_of(::getpid())) ::kill(each, number);
}

std::vector<pid_t> descendants_of(pid_t process) {
  const std::multimap<pid_t, pid_t> by_parent = processes_by_parent();
  std::vector<pid_t> found = {process};
  std::set<pid_t> seen = {process};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = by_parent.equal_range(found[i]);
    for (auto at = first; at != last; ++at) {
      if (seen.insert(at->second).second) found.push_back(at->second);
    }
  }
  found.erase(found.begin());
  return found;
}

void die_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace topsctl

// fork, exec, and /proc for processes that left their parents.
#include "topsctl/host/system/supervisor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr int cannot_start = 127;
constexpr std::chrono::milliseconds look_again(100);
constexpr int look_again_ms = 10;
constexpr std::int64_t patience_with_killed_ms = 5000;

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
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
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

// Positions behind "PID (NAME) " in /proc/PID/stat (proc(5)).
constexpr std::size_t parent_field = 1;
constexpr std::size_t user_time_field = 11;
constexpr std::size_t system_time_field = 12;
constexpr std::size_t start_field = 19;
constexpr std::int64_t ms_per_s = 1000;

// The name may have blanks and brackets. Empty if the process has just ended.
std::vector<std::string> stat_fields(const std::string& process) {
  try {
    const std::string stat = read_text_if_present(concat("/proc/", process, "/stat")).value_or("");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 2 > stat.size()) return {};
    return split(stat.substr(name_end + 2), ' ');
  } catch (const Error&) {
    return {};
  }
}

template <class Number>
std::optional<Number> number_at(const std::vector<std::string>& fields, std::size_t position) {
  if (fields.size() <= position) return std::nullopt;
  const std::string& text = fields[position];
  Number number = 0;
  const auto failure = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  if (failure != std::errc()) return std::nullopt;
  return number;
}

std::multimap<pid_t, pid_t> processes_by_parent() {
  std::multimap<pid_t, pid_t> found;
  std::error_code failure;
  for (fs::directory_iterator at("/proc", failure); !failure && at != fs::directory_iterator();
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!is_digits(name)) continue;
    if (const auto parent = number_at<pid_t>(stat_fields(name), parent_field))
      found.emplace(*parent, static_cast<pid_t>(std::stoi(name)));
  }
  return found;
}

}  // namespace

Supervisor::Supervisor() {
  // It may be inherited as ignored; then exit statuses would be lost.
  ::signal(SIGCHLD, SIG_DFL);
  const sigset_t set = child_signal();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ended_ = Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!ended_.is_open()) throw system_error(errno, "watch", "processes");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Supervisor::~Supervisor() {
  // A process may fork while it is killed; processes that survive the signal are left.
  const WaitLimit limit(patience_with_killed_ms);
  while (has_children_ && !limit.is_over()) {
    signal_all(SIGKILL);
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) break;
    if (ended == 0) ::poll(nullptr, 0, look_again_ms);
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

std::string start_of_process(pid_t process) {
  const std::vector<std::string> fields = stat_fields(concat(process));
  if (fields.size() <= start_field || fields.front() == "Z") return {};
  const auto boot = read_text_if_present("/proc/sys/kernel/random/boot_id");
  return concat(fields[start_field], "@", trimmed(boot.value_or("")));
}

std::string state_of_process(pid_t process) {
  const std::vector<std::string> fields = stat_fields(concat(process));
  return fields.empty() ? std::string() : fields.front();
}

bool signal_process(pid_t process, const std::string& start, int number, std::int64_t timeout_ms) {
  // Linux 5.3 has these; before, the number may be given away at the wrong moment.
  const Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (start_of_process(process) != start) return true;
  const long failed = pidfd.is_open()
                          ? ::syscall(SYS_pidfd_send_signal, pidfd.get(), number, nullptr, 0)
                          : ::kill(process, number);
  if (failed != 0 && errno != ESRCH)
    throw system_error(errno, "signal", concat("process ", process));
  const WaitLimit limit(timeout_ms);
  if (pidfd.is_open()) {
    const bool has_ended = wait_for({pidfd.get()}, limit);
    throw_if_interrupted();
    return has_ended;
  }
  while (start_of_process(process) == start) {
    if (limit.is_over()) return false;
    pause_for(look_again);
  }
  return true;
}

std::map<pid_t, std::int64_t> processor_times_of(const std::vector<pid_t>& processes) {
  const std::int64_t ticks_per_s = std::max(1L, ::sysconf(_SC_CLK_TCK));
  std::map<pid_t, std::int64_t> times;
  for (const pid_t process : processes) {
    const std::vector<std::string> fields = stat_fields(concat(process));
    const auto user = number_at<std::int64_t>(fields, user_time_field);
    const auto system = number_at<std::int64_t>(fields, system_time_field);
    if (user && system) times[process] = (*user + *system) * ms_per_s / ticks_per_s;
  }
  return times;
}

void die_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace topsctl

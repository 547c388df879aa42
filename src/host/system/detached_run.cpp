// Starts programs under a keeper that outlives the connection and writes down how they end.
#include "topsctl/host/system/detached_run.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/startup.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t own_folder = 0700;
constexpr mode_t own_file = 0600;

Descriptor written(const fs::path& file) {
  return Descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, own_file));
}

// Closes all except the standard streams and these, so that the run does not keep a connection
// open.
void close_others(std::initializer_list<int> kept) {
  std::vector<int> open;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", ignored))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int descriptor : open) {
    const bool is_kept = std::find(kept.begin(), kept.end(), descriptor) != kept.end();
    if (descriptor > 2 && !is_kept) ::close(descriptor);
  }
}

// In the child: never returns.
[[noreturn]] void become(std::vector<std::string> argv, const std::array<int, 3>& streams,
                         const fs::path& directory) {
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGHUP, SIGPIPE, SIGXFSZ})
    ::signal(signal, SIG_DFL);
  restore_descriptor_limit();
  restore_umask();
  for (int stream = 0; stream < 3; ++stream) ::dup2(streams.at(stream), stream);
  if (::chdir(directory.c_str()) == 0) ::execvp(argv[0].c_str(), c_strings(argv).data());
  const std::string reason = format("cannot start {}\n", argv[0]);
  static_cast<void>(!::write(2, reason.data(), reason.size()));
  ::_exit(127);
}

// Enlarges the pipe to hold all bytes: the reader has not started yet.
void make_room(const Pipe& pipe, std::size_t bytes) {
  const int room = ::fcntl(pipe.write_end.get(), F_GETPIPE_SZ);
  if (room >= 0 && bytes <= static_cast<std::size_t>(room)) return;
  if (::fcntl(pipe.write_end.get(), F_SETPIPE_SZ, static_cast<int>(bytes)) < 0)
    throw system_error(errno, "write", "the input", ErrorCode::host_unfit);
}

}  // namespace

void DetachedRun::start(const std::vector<std::string>& argv, Secret input,
                        const std::vector<RunFile>& files) const {
  make_directories(folder_.parent_path(), own_folder);
  if (::mkdir(folder_.c_str(), own_folder) != 0) {
    if (errno == EEXIST) return;
    throw system_error(errno, "create directory", folder_.string());
  }
  for (const RunFile& file : files) write_plainly(folder_ / file.name, file.bytes, own_file);
  // Before the fork, so that the keeper's memory does not contain the input.
  Pipe pipe = make_pipe();
  make_room(pipe, input.view().size());
  write_all(pipe.write_end, input.view(), "the input");
  input = Secret();
  pipe.write_end.close();
  Pipe ready = make_pipe();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(errno, "start", argv[0], ErrorCode::host_unfit);
  if (pid == 0) {
    ::setsid();
    // Its parent ends at once, so that init reaps it.
    if (const pid_t second = ::fork(); second != 0) ::_exit(second < 0 ? 127 : 0);
    keep(argv, pipe.read_end, ready.write_end.get());
  }
  ready.write_end.close();
  ::waitpid(pid, nullptr, 0);
  char answer = 0;
  if (::read(ready.read_end.get(), &answer, 1) != 1)
    throw Error(ErrorCode::host_unfit, format("cannot start {}", in_quotes(argv[0])));
}

// The keeper: its lock shows that the program runs.
void DetachedRun::keep(const std::vector<std::string>& argv, const Descriptor& input,
                       int ready) const {
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  close_others({ready, input.get()});
  const Descriptor lock = written(folder_ / "lock");
  const Descriptor report = written(folder_ / "report");
  const Descriptor events = written(folder_ / "events");
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || ::chdir("/") != 0) ::_exit(1);
  const pid_t program = ::fork();
  if (program < 0) ::_exit(1);
  if (program == 0) become(argv, {input.get(), report.get(), events.get()}, directory_);
  static_cast<void>(!::write(ready, "1", 1));
  // Descriptors of the starter must not stay open.
  for (int stream = 0; stream < 3; ++stream) ::dup2(null.get(), stream);
  ::close(ready);
  ::close(input.get());
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
  try {
    write_durably(folder_ / "status", concat(code, "\n"), own_file);
  } catch (const Error&) {
    ::_exit(1);
  }
  ::_exit(0);
}

bool DetachedRun::is_running() const {
  const Descriptor lock(::open((folder_ / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock.is_open() && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0;
}

std::unique_ptr<ReleaseWatch> DetachedRun::end_watch() const {
  Descriptor lock(::open((folder_ / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  return lock.is_open() ? std::make_unique<ReleaseWatch>(std::move(lock)) : nullptr;
}

std::optional<int> DetachedRun::status() const {
  const auto text = read_text_if_present(folder_ / "status", 64);
  if (!text) return std::nullopt;
  const std::string_view word = trimmed(*text);
  int status = 0;
  if (std::from_chars(word.begin(), word.end(), status).ec != std::errc()) return std::nullopt;
  return status;
}

std::string DetachedRun::events_from(std::uint64_t offset) const {
  const Descriptor input(::open((folder_ / "events").c_str(), O_RDONLY | O_CLOEXEC));
  std::string bytes(64U << 10U, '\0');
  const ssize_t got =
      input.is_open() ? ::pread(input.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset))
                      : 0;
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

std::string DetachedRun::report(std::uint64_t most) const {
  return read_text_if_present(folder_ / "report", most).value_or("");
}

void remove_old_runs(const fs::path& folder) {
  constexpr std::time_t most_age_s = 7 * 86'400;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    struct stat status {};
    if (::lstat((entry.path() / "status").c_str(), &status) == 0 &&
        std::time(nullptr) - status.st_mtim.tv_sec > most_age_s)
      fs::remove_all(entry.path(), ignored);
  }
}

Descriptor start_detached(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"topsctl"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = c_strings(words);
  const std::array<char*, 1> nothing = {nullptr};
  Pipe ready = make_pipe();
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(errno, "start", "topsctl", ErrorCode::host_unfit);
  if (pid == 0) {
    ::setsid();
    // Its parent ends at once, so that init reaps it.
    if (const pid_t second = ::fork(); second != 0) ::_exit(second < 0 ? 127 : 0);
    const int null = ::open("/dev/null", O_RDWR);
    for (const int stream : {1, 2}) {
      if (null < 0 || ::dup2(null, stream) < 0) ::close(stream);
    }
    // Closed by declare_ready(), or by its end.
    if (::dup2(::fcntl(ready.write_end.get(), F_DUPFD_CLOEXEC, 10), 0) < 0) ::_exit(127);
    restore_descriptor_limit();
    if (::chdir("/") == 0) ::execve("/proc/self/exe", argv.data(), nothing.data());
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw Error(ErrorCode::host_unfit, "cannot start 'topsctl' in the background");
  return std::move(ready.read_end);
}

void declare_ready() {
  // Only start_detached() gives a standard input that cannot be read.
  const int flags = ::fcntl(0, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) != O_WRONLY) return;
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (null.is_open()) ::dup2(null.get(), 0);
}

void daemonize(const Descriptor& kept, const std::function<void(int)>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(errno, "start", "a copy of topsctl", ErrorCode::host_unfit);
  if (pid > 0) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) throw Error(ErrorCode::host_unfit, "cannot start 'topsctl' in the background");
    return;
  }
  ::setsid();
  if (const pid_t second = ::fork(); second != 0) ::_exit(second < 0 ? 127 : 0);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGPIPE, SIGALRM})
    ::signal(signal, SIG_IGN);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) {
    if (null < 0 || ::dup2(null, stream) < 0) ::close(stream);
  }
  // Locks among them: they must end with topsctl.
  close_others({kept.get()});
  int result = 1;
  try {
    if (::chdir("/") == 0) {
      work(kept.get());
      result = 0;
    }
  } catch (...) {
    result = 1;
  }
  ::_exit(result);
}

}  // namespace topsctl

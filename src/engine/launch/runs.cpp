// One small file per run, with its log directory.
#include "topsctl/engine/launch/runs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t own_folder = 0700;
constexpr mode_t own_file = 0600;
constexpr std::uint64_t most_record = std::uint64_t{16} << 20U;
constexpr std::uint64_t longest_note = 8192;
constexpr std::int64_t stop_patience_ms = 30'000;
constexpr const char* last_word = "last";

bool is_there(const std::string& folder) {
  std::error_code failure;
  return fs::exists(folder, failure);
}

// Another user's file could name any process as the run's.
std::string own_text(const std::string& file, std::uint64_t most) {
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!open.is_open() || ::fstat(open.get(), &status) != 0)
    throw system_error(errno, "read", file, ErrorCode::bad_input);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    throw Error(ErrorCode::permission, format("{} belongs to another user", in_quotes(file)),
                "read it as that user");
  return read_text(concat("/proc/self/fd/", open.get()), most);
}

Run run_in(const std::string& name, const std::string& log_folder) {
  Run run;
  run.name = name;
  run.log_folder = log_folder;
  const std::string file = (fs::path(log_folder) / record_name).string();
  try {
    run.record = record_summary_in(own_text(file, most_record), in_quotes(file));
  } catch (const Error& error) {
    run.problem = error.message();
    run.is_of_other = error.code() == ErrorCode::permission;
    return run;
  }
  if (run.name.empty()) run.name = run.record.run;
  if (!run.record.ended_at.empty())
    run.state = RunState::ended;
  else if (start_of_process(static_cast<pid_t>(run.record.pid)) == run.record.process_start)
    run.state = RunState::running;
  else
    run.state = RunState::killed;
  return run;
}

// The content of its file: the name of the host, then the log directory.
struct NotedRun {
  std::string host;
  std::string log_folder;
};

NotedRun noted_run(const fs::path& file) {
  try {
    const std::string text = own_text(file.string(), longest_note);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return {};
    return {text.substr(0, end), std::string(trimmed(std::string_view(text).substr(end)))};
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> noted_names(const Host& host) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(runs_folder(host), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    std::string name = at->path().filename().string();
    if (is_run_name(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// If this host also has a part of the last run, selects the whole run.
std::string last_of(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  const std::string& last = names.back();
  const std::string whole = last.substr(0, last.rfind('-'));
  return std::binary_search(names.begin(), names.end(), whole) ? whole : last;
}

}  // namespace

std::string_view name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::ended:
      return "ended";
    case RunState::killed:
      return "killed";
    case RunState::unreadable:
      return "unreadable";
  }
  return {};
}

fs::path runs_folder(const Host& host) {
  const auto own = host.environment.find("XDG_STATE_HOME");
  if (own != host.environment.end() && own->second.starts_with('/')) {
    fs::path folder = fs::path(own->second) / "topsctl" / "runs";
    // Root with a user's environment does not write where that user can change the way.
    if (is_own_way(folder / "run")) return folder;
  }
  return host.resolve(concat(host.state, "/runs"));
}

std::string new_run_name(const Host& host) {
  std::string now = timestamp(host.clock->now());
  std::erase_if(now, [](char c) { return c == '-' || c == ':'; });
  return concat(now, "-", ::getpid());
}

void note_run(const Host& host, const std::string& name, const std::string& log_folder) {
  const fs::path folder = runs_folder(host);
  make_directories(folder, own_folder);
  const std::string own_host = name_of_this_host();
  for (const std::string& each : noted_names(host)) {
    const NotedRun noted = noted_run(folder / each);
    if (noted.host != own_host) continue;
    std::error_code ignored;
    // A mount that does not answer is not a missing directory.
    if (fs::symlink_status(noted.log_folder, ignored).type() == fs::file_type::not_found)
      fs::remove(folder / each, ignored);
  }
  write_durably(folder / name, concat(own_host, "\n", log_folder, "\n"), own_file);
}

std::vector<Run> all_runs(const Host& host) {
  std::vector<Run> runs;
  for (const std::string& name : noted_names(host))
    runs.push_back(run_in(name, noted_run(runs_folder(host) / name).log_folder));
  return runs;
}

Run run_named(const Host& host, const std::string& word) {
  if (is_there((fs::path(word) / record_name).string()))
    return run_in({}, fs::absolute(word).lexically_normal().string());
  const std::vector<std::string> names = noted_names(host);
  std::vector<std::string> meant;
  const std::string last = last_of(names);
  for (const std::string& name : names) {
    if (name == word || (word == last_word && name == last)) meant = {name};
    if (name == word) break;
    if (name.starts_with(word)) meant.push_back(name);
  }
  if (meant.size() == 1)
    return run_in(meant.front(), noted_run(runs_folder(host) / meant.front()).log_folder);
  if (names.empty())
    throw Error(ErrorCode::bad_input, "there are no runs yet",
                "`topsctl launch -- SCRIPT` starts one; a log directory is accepted, too");
  if (meant.empty())
    throw Error(ErrorCode::bad_input, format("unknown run {}", in_quotes(word)),
                "list runs with `topsctl runs`; a log directory is accepted, too");
  throw Error(ErrorCode::bad_input,
              format("{} is ambiguous: {} or {}", in_quotes(word), meant.front(), meant.back()),
              "give more of its name");
}

bool stop_run(const Run& run) {
  const auto process = static_cast<pid_t>(run.record.pid);
  for (int i = 0; i < 2; ++i) {
    if (signal_process(process, run.record.process_start, SIGTERM, stop_patience_ms)) return true;
  }
  return false;
}

}  // namespace topsctl

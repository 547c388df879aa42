// Runs topsctl commands on this host for a remote workstation, beyond the end of the connection.
#include "topsctl/engine/remote/run_server.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/detached_run.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t longest_silence_ms = 10'000;
constexpr std::uint64_t most_report = 8ULL << 20U;  // bytes
constexpr const char* lock_file = "lock.json";
constexpr const char* reading_file = "reading";
constexpr const char* stack_file = "stack.json";

// The directories for runs, best first; the first usable one is used.
std::vector<fs::path> run_places(const Host& host) {
  std::vector<fs::path> places;
  const auto home = host.environment.find("HOME");
  if (home != host.environment.end() && home->second.starts_with('/'))
    places.push_back(fs::path(home->second) / ".cache" / "topsctl" / "runs");
  places.emplace_back(concat("/var/tmp/topsctl-", ::geteuid(), "/runs"));
  return places;
}

// Creates it if missing.
bool is_usable(const fs::path& place) {
  try {
    require_own_folder(place.parent_path());
    require_own_folder(place);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The directory of this run: an existing run is found in any of the directories, and not started
// again.
fs::path folder_of(const Host& host, const std::string& id) {
  const std::vector<fs::path> places = run_places(host);
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::exists(place / id, ignored) && is_usable(place)) return place / id;
  }
  for (const fs::path& place : places) {
    if (!is_usable(place)) continue;
    remove_old_runs(place);
    return place / id;
  }
  throw Error(
      ErrorCode::permission, "no usable directory for runs in ~/.cache/topsctl or /var/tmp",
      "make one of them usable: it must belong to the user and must not be writable by others");
}

std::vector<std::string> command_of(const RemoteRunRequest& request, const fs::path& folder,
                                    bool has_password) {
  std::vector<std::string> argv;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  if (request.run_as == RunAs::root && !is_root_user()) {
    require_own_way(program);  // sudo starts it by its path
    if (has_password)
      argv = {"sudo", "-S", "-p", "", "--"};
    else
      argv = {"sudo", "-n", "--"};
  }
  argv.push_back(program.string());
  // Where sudo asks for no password, it is left there.
  if (has_password) argv.emplace_back("--no-input");
  argv.insert(argv.end(), request.words.begin(), request.words.end());
  if (request.lock) argv.push_back(concat("--lock=", (folder / lock_file).string()));
  if (request.stack) argv.push_back(concat("--stack=", (folder / stack_file).string()));
  // It may have secrets, so it is not written to any file.
  if (!request.job.empty()) argv.emplace_back("--job=/proc/self/fd/0");
  if (!request.reading.empty())
    argv.push_back(concat("--reading=", (folder / reading_file).string()));
  return argv;
}

// A lock is in a directory that only we can use; the command line ensures that no other one is
// used.
std::vector<RunFile> files_of(const RemoteRunRequest& request) {
  std::vector<RunFile> files;
  if (!request.reading.empty()) files.push_back({reading_file, request.reading});
  const auto add = [&](const char* name, const std::optional<SentFile>& sent) {
    if (!sent) return;
    files.push_back({name, sent->text});
    if (!sent->signature.empty()) files.push_back({concat(name, ".sig"), sent->signature});
  };
  add(lock_file, request.lock);
  add(stack_file, request.stack);
  return files;
}

// Throws if it is gone, because nothing is written while the run is silent.
void require_other_side(const Descriptor& input) {
  throw_if_interrupted();
  pollfd watched = {input.get(), POLLIN, 0};
  if (::poll(&watched, 1, 0) > 0)
    throw Error(ErrorCode::interrupted, "the workstation disconnected; the run continues");
}

}  // namespace

void serve_run(const Host& host, const RemoteRunRequest& request, Secret sudo_password,
               const Descriptor& input, const std::function<void(const std::string&)>& say) {
  const fs::path folder = folder_of(host, request.id);
  std::error_code failure;
  if (request.has_begun && !fs::exists(folder, failure)) {
    // Its directory is gone, perhaps because it was in memory and the host was rebooted.
    say(json_frame(FrameKind::result, to_json(RemoteRunEnd{})));
    return;
  }
  if (!fs::is_directory(request.directory, failure))
    throw Error(ErrorCode::bad_input, format("no such directory: {}", in_quotes(request.directory)),
                "create it on the host, or choose another one: --chdir DIR");
  const DetachedRun run(folder, request.directory);
  if (request.run_as == RunAs::root && !request.job.empty())
    throw Error(ErrorCode::bad_input, "a job cannot be run as another user",
                "launch it as the user who logs in");
  const bool has_password = request.run_as == RunAs::root && !sudo_password.is_empty();
  if (has_password) sudo_password.add('\n');
  run.start(command_of(request, folder, has_password),
            has_password ? std::move(sudo_password) : Secret(request.job), files_of(request));
  std::uint64_t heard = request.events_from;
  std::string last_words;
  const FileWatch written = run.events_watch();
  const auto ended = run.end_watch();
  WaitLimit silence(longest_silence_ms);
  for (;;) {
    written.clear();
    // Checked before the events are read, so that none is missed.
    const bool is_running = run.is_running();
    const std::string events = run.events_from(heard);
    if (!events.empty()) {
      say(frame(FrameKind::event, events));
      heard += events.size();
      silence = WaitLimit(longest_silence_ms);
      last_words += events;
      constexpr std::size_t most_words = 4096;
      if (last_words.size() > most_words) last_words.erase(0, last_words.size() - most_words);
      continue;
    }
    if (!is_running) break;
    const int end = ended ? ended->descriptor() : -1;
    wait_for({input.get(), written.descriptor(), end},
             written.is_watching() ? silence : written.longest_wait());
    require_other_side(input);
    if (!silence.is_over()) continue;
    // Shows the other side that this one is still present.
    say(frame(FrameKind::event, ""));
    silence = WaitLimit(longest_silence_ms);
  }
  const RemoteRunEnd end{run.status().value_or(-1), run.report(most_report), last_words};
  say(json_frame(FrameKind::result, to_json(end)));
}

}  // namespace topsctl

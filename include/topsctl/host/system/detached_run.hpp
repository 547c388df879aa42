// Programs that go on when whoever started them is gone, and can be found again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/lock_wait.hpp"
#include "topsctl/host/system/secret.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// Beside what it writes.
struct RunFile {
  std::string name;
  std::string bytes;
};

// One run: a folder with what the program writes (`report`: standard output, `events`: standard
// error) and, at its end, its exit status.
class DetachedRun {
 public:
  // `directory`: the working directory of the program.
  explicit DetachedRun(std::filesystem::path folder, std::filesystem::path directory = "/")
      : folder_(std::move(folder)), directory_(std::move(directory)) {}

  // Starts it in this process's environment, in a session of its own; does nothing if the folder is
  // there already. `input` is its standard input, of 1 MiB at most; it is written nowhere else, and
  // the keeper has no copy. The files lie in the folder before it starts. For a
  // process of one thread. Throws Error.
  void start(const std::vector<std::string>& argv, Secret input,
             const std::vector<RunFile>& files = {}) const;

  bool is_running() const;
  // Nothing while it runs, and if it was cut off: by a reboot, for example. A program that was
  // killed has 128 and the number of the signal.
  std::optional<int> status() const;
  // Wakes once the program has ended; nothing if it is not there to wait for.
  std::unique_ptr<ReleaseWatch> end_watch() const;
  // Wakes when something is written to `events`.
  FileWatch events_watch() const { return FileWatch(folder_ / "events"); }
  // What was written to `events` from this byte on; at most 64 KiB.
  std::string events_from(std::uint64_t offset) const;
  // Throws Error{host_unfit} if it is longer than `most` bytes.
  std::string report(std::uint64_t most) const;

 private:
  [[noreturn]] void keep(const std::vector<std::string>& argv, const Descriptor& input,
                         int ready) const;

  std::filesystem::path folder_;
  std::filesystem::path directory_;
};

// Removes runs in a folder of such that ended more than a week ago.
void remove_old_runs(const std::filesystem::path& folder);

}  // namespace topsctl

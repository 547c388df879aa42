// Programs that continue without their starter and can be found again.
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

// An additional file in the run's directory.
struct RunFile {
  std::string name;
  std::string bytes;
};

// One run: a directory with the output of the program (`report`: standard output, `events`:
// standard error) and, after its end, its exit status.
class DetachedRun {
 public:
  // `directory`: the working directory of the program.
  explicit DetachedRun(std::filesystem::path folder, std::filesystem::path directory = "/")
      : folder_(std::move(folder)), directory_(std::move(directory)) {}

  // Starts the program in this process's environment, in its own session; does nothing if the
  // directory exists. `input` is its standard input, at most 1 MiB; it is not written anywhere
  // else, and the keeper process has no copy. `files` are written to the directory before the
  // start. For a single-threaded process. Throws Error.
  void start(const std::vector<std::string>& argv, Secret input,
             const std::vector<RunFile>& files = {}) const;

  bool is_running() const;
  // Nothing while it runs, and if it was interrupted, for example by a reboot. For a killed
  // program, 128 plus the number of the signal.
  std::optional<int> status() const;
  // Wakes after the program has ended; null if there is nothing to wait for.
  std::unique_ptr<ReleaseWatch> end_watch() const;
  // Wakes when `events` is written to.
  FileWatch events_watch() const { return FileWatch(folder_ / "events"); }
  // The content of `events` from this byte on; at most 64 KiB.
  std::string events_from(std::uint64_t offset) const;
  // Throws Error{host_unfit} if it is longer than `most` bytes.
  std::string report(std::uint64_t most) const;

 private:
  [[noreturn]] void keep(const std::vector<std::string>& argv, const Descriptor& input,
                         int ready) const;

  std::filesystem::path folder_;
  std::filesystem::path directory_;
};

// Removes runs in a directory of runs that ended more than a week ago.
void remove_old_runs(const std::filesystem::path& folder);

}  // namespace topsctl

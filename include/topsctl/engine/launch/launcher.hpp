// Starts a training, writes its logs and record, restarts it if useful, and waits until all
// processes have ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// Receives the output and the observed state of running ranks.
class RankListener {
 public:
  virtual ~RankListener() = default;
  virtual void line(std::int64_t rank, std::string_view text) = 0;
  virtual void launcher_line(std::string_view text) = 0;
  virtual void checked(const BusyCheck& check, std::int64_t ranks) = 0;
  virtual void stood_still(const Standstill& stall, OnStall what) = 0;
  // An attempt failed, and another one follows after a pause.
  virtual void restarts(const AttemptRecord& failed, std::int64_t pause_ms) = 0;
  // Called each second.
  virtual void progressed(const AttemptRecord& attempt) = 0;
};

// Creates the log directory of the options, which must not exist, and runs their plan as often as
// the rules of `begun.request` allow. `begun` has the initial data: name, request, directory,
// digests, versions and changes of the environment. SIGINT and SIGTERM stop all ranks, a second
// signal kills them at once. Leaves no process behind in any case. Throws Error if nothing was
// started: Error{bad_input} if the log directory exists.
LaunchRecord launch(const Host& host, const LaunchWishes& wishes, LaunchRecord begun,
                    Language language, RankListener& listener);

// Throws Error{bad_input} if the path exists; Error{permission} if we are root and other users can
// change a directory above it.
void require_new_log_folder(const std::filesystem::path& folder);

// `topsctl rank`: redirects this process's output to the pipe of its rank, reports its process id,
// and executes the program. Never returns. Throws Error.
[[noreturn]] void become_rank(const std::filesystem::path& log_folder,
                              const std::vector<std::string>& words,
                              const std::map<std::string, std::string>& environment);

}  // namespace topsctl

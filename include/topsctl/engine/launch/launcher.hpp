// Starts a training, writes its logs and record, starts it once more where that helps, and stays
// until all of it has ended.
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

// Hears what ranks say and what is seen of them while they run.
class RankListener {
 public:
  virtual ~RankListener() = default;
  virtual void line(std::int64_t rank, std::string_view text) = 0;
  virtual void launcher_line(std::string_view text) = 0;
  virtual void checked(const BusyCheck& check, std::int64_t ranks) = 0;
  virtual void stood_still(const Standstill& stall, OnStall what) = 0;
  // An attempt has failed, and after a pause another one follows.
  virtual void restarts(const AttemptRecord& failed, std::int64_t pause_ms) = 0;
  // Each second.
  virtual void progressed(const AttemptRecord& attempt) = 0;
};

// Makes the log folder of the wishes, which may not be there, and runs what they plan: as often as
// the rules of `begun.request` allow. `begun` has what is known of it beforehand: name, request,
// directory, digests, versions and changes of the environment. SIGINT and SIGTERM end all ranks, a
// second one at once. Whatever happens, no process is left. Throws Error if nothing was started:
// Error{bad_input} for a log folder that is there.
LaunchRecord launch(const Host& host, const LaunchWishes& wishes, LaunchRecord begun,
                    Language language, RankListener& listener);

// Throws Error{bad_input} if something is there; Error{permission} if we are root and others can
// change what leads there.
void require_new_log_folder(const std::filesystem::path& folder);

// `topsctl rank`: leads the output of this process to the pipe of its rank, tells its process, and
// becomes the program. Returns never. Throws Error.
[[noreturn]] void become_rank(const std::filesystem::path& log_folder,
                              const std::vector<std::string>& words,
                              const std::map<std::string, std::string>& environment);

}  // namespace topsctl

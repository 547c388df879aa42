// Changes of an install outside its write set: backs up those that can be undone, and reports the
// others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/engine/observation/observer.hpp"
#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

class UnpredictedChanges {
 public:
  // Create it after the snapshot is in the store, which the caller syncs, and before the first
  // change; host and snapshot must outlive it. `is_observed`: observes each program that uses
  // setup(); no other thread may be running then. Throws Error.
  UnpredictedChanges(const Host& host, Snapshot& snapshot, std::filesystem::path store,
                     bool is_observed);

  // For started programs; nullptr: they are not observed.
  const ProcessSetup* setup() const { return observer_ ? &observer_->setup() : nullptr; }

  // Changes since this time count, by the file system's clock.
  void begin_at(std::int64_t since_ns) { since_ns_ = since_ns; }
  // Completes the snapshot by observed and moved paths: later changes by programs are foreign.
  // Paths without a backup are a warning.
  void complete(Execution& execution);
  // Adds all other changes to the report, with a warning. Uses the kernel's change times, so
  // changes of other programs are included.
  void report(const std::vector<std::string>& new_paths, Execution& execution) const;
  // Removes the observation data after the report, because no recovery will need them.
  void end();

 private:
  const Host& host_;
  Snapshot& snapshot_;
  std::filesystem::path store_;
  // First member: no thread may be running while it is started.
  std::optional<Observer> observer_;
  FolderRecord before_;
  std::int64_t since_ns_ = 0;
  // Files that were backed up as links: linking alone changes the change time of their other names.
  std::set<FileIdentity> linked_;
  std::vector<std::string> lost_;  // paths that complete_snapshot could not back up
};

}  // namespace topsctl

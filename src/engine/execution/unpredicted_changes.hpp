// What an install changes although its write set does not name it: what can be undone all the same,
// and what can only be told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

class UnpredictedChanges {
 public:
  // Once the snapshot is taken into the store, which the caller syncs, and before the first change;
  // host and snapshot must outlive it.
  UnpredictedChanges(const Host& host, Snapshot& snapshot, std::filesystem::path store);

  // Changes since this time count, by the file system's clock.
  void begin_at(std::int64_t since_ns) { since_ns_ = since_ns; }
  // Completes the snapshot by what was moved.
  void complete();
  // Puts all others into the report, with a warning. By what the kernel knows to have changed;
  // others at work on the machine are among it.
  void report(const std::vector<std::string>& new_paths, Execution& execution) const;
  // It is told, and no recovery will ask.
  void end() const { remove_folder_record(store_); }

 private:
  const Host& host_;
  Snapshot& snapshot_;
  std::filesystem::path store_;
  FolderRecord before_;
  std::int64_t since_ns_ = 0;
  std::vector<std::string> lost_;  // what complete_snapshot could not keep
};

}  // namespace topsctl

// Detects changes outside the write set.
#include "engine/execution/unpredicted_changes.hpp"

#include <sys/stat.h>

#include <limits>
#include <map>
#include <optional>
#include <set>

#include "topsctl/engine/observation/observed_record.hpp"
#include "topsctl/engine/transaction/moved_paths.hpp"
#include "topsctl/engine/transaction/unexpected_changes.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"

namespace topsctl {

namespace {

// Ignores the number of its names.
FileIdentity identity_alone(FileIdentity identity) {
  identity.links = 0;
  return identity;
}

// Known files by inode, to recognize their names under other mounts such as a bind mount. Without
// files that have several names: one of them may be new.
class KnownFiles {
 public:
  explicit KnownFiles(const FileTree& tree) : tree_(tree) {}

  void add(const std::string& path) {
    if (const auto file = tree_.inode(path))
      mounts_[identity_alone(file->identity())].insert(file->mount());
  }
  bool has_by_another_mount(const std::string& path) const {
    const auto file = tree_.inode(path);
    if (!file || file->mount() == 0) return false;
    if (!S_ISDIR(file->status().st_mode) && file->status().st_nlink > 1) return false;
    const auto found = mounts_.find(identity_alone(file->identity()));
    return found != mounts_.end() && !found->second.contains(file->mount());
  }

 private:
  const FileTree& tree_;
  std::map<FileIdentity, std::set<std::uint64_t>> mounts_;
};

}  // namespace

UnpredictedChanges::UnpredictedChanges(const Host& host, Snapshot& snapshot,
                                       std::filesystem::path store, bool is_observed)
    : host_(host), snapshot_(snapshot), store_(std::move(store)) {
  if (is_observed) observer_.emplace(host_, snapshot_, store_);
  before_ = record_folders(host, snapshot, store_);
}

void UnpredictedChanges::complete(Execution& execution) {
  if (observer_) {
    for (std::string& failure : observer_->failures())
      execution.warnings.push_back(std::move(failure));
    execution.report.write_set.paths += adopt_observed(snapshot_, store_);
  }
  for (const KeptPath& kept : snapshot_.paths) {
    if (kept.keeping != Keeping::link && kept.keeping != Keeping::both) continue;
    linked_.insert(identity_alone(file_identity(link_place(kept, store_).string())));
  }
  // The transaction is still active: all moves so far are its own.
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  lost_ = complete_snapshot(host_, snapshot_, store_, before_, no_end);
}

void UnpredictedChanges::end() {
  if (observer_) replace_links_by_copies(host_, snapshot_, store_);
  remove_folder_record(store_);
}

void UnpredictedChanges::report(const std::vector<std::string>& new_paths,
                                Execution& execution) const {
  const FileTree tree(host_.root);
  std::optional<KnownFiles> known;  // set when it is first needed
  const auto is_expected = [&](const std::string& path) {
    const FileIdentity identity = identity_alone(tree.identity(path));
    if (identity.inode != 0 && linked_.contains(identity) && before_.held(path).value_or(false))
      return true;
    if (!known) {
      known.emplace(tree);
      for (const KeptPath& kept : snapshot_.paths) known->add(kept.path);
      for (const std::string& each : new_paths) known->add(each);
    }
    return known->has_by_another_mount(path);
  };
  const UnexpectedChanges escaped =
      unexpected_changes(host_, snapshot_, new_paths, since_ns_, lost_, is_expected);
  execution.report.escaped_paths = escaped.paths;
  const ChangedBy by = observer_ ? ChangedBy::others : ChangedBy::anybody;
  if (std::string warning = warning_of(escaped, by); !warning.empty())
    execution.warnings.push_back(std::move(warning));
}

}  // namespace topsctl

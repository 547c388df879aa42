// Plans the rollback of a committed transaction on a host that may have changed since.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// The state to restore, computed from three states of each path: before the transaction, at its
// end, and now.
struct UndoPlan {
  Snapshot snapshot;                          // without families: other paths stay untouched
  std::map<std::string, std::string> merged;  // contents that no state had, by name in the store
  std::vector<std::string> conflicts;  // parts to be restored that other programs changed since:
                                       // paths, and packages as "package NAME"
  std::vector<std::string> notes;      // foreign changes that are left as they are
  std::vector<std::string> kept_of_others;  // of an interrupted transaction: paths that other
                                            // programs changed or created
  std::vector<std::string> lost;            // the same: paths that it removed and that have no
                                            // backup
  bool rebuild_loader_cache = false;        // changed by others since: ldconfig(8) rebuilds it
  bool is_of_times = false;                 // the transaction changed only times
  std::string reason = {};                  // reason of a failure, for history
};

// The host as it is, or as it will be after certain rollbacks.
class ProjectedState {
 public:
  // The host must outlive it.
  explicit ProjectedState(const Host& host) : host_(host) {}

  const Host& host() const { return host_; }
  FileState state(const std::string& path, Content content) const;
  // Throws Error if there is no such file.
  std::string text(const std::string& path) const;
  // Treats this undo as done from now on; `transaction` is the one that it undoes.
  void pretend(const UndoPlan& undo, const Transaction& transaction);

 private:
  struct Pretended {
    FileState state;
    std::filesystem::path content;  // place of its content; empty: in `text`
    std::string text;
  };
  const Host& host_;
  std::map<std::string, Pretended> pretended_;
};

// Records the final state of each path that the transaction changed in `store`, an empty directory,
// for a later rollback to compare with; `new_paths` are the paths that it created. Copies dpkg's
// database files. Does not read paths that the snapshot marks unread. The caller syncs.
void record_state_after(const Host& host, const Snapshot& before,
                        const std::vector<std::string>& new_paths,
                        const std::filesystem::path& store);

// Compares the three states. Throws Error if the transaction's records are damaged or gone.
UndoPlan undo_of(const ProjectedState& now, const Transaction& transaction);

// Writes an undo plan into the transaction's directory, durably: an interrupted rollback resumes
// with it.
void write_undo(const Host& host, const UndoPlan& undo, const Transaction& transaction);
// Whether the undo plan in the transaction's directory has begun: some path is as the plan makes it
// and not as the transaction left it.
bool has_undo_begun(const Host& host, const Transaction& transaction);
// The same for a transaction whose journal says only that it is committed.
bool is_undo_cut_off(const Host& host, const Transaction& transaction);
// Whether the undo plan in the transaction's directory leaves the loader cache to ldconfig(8).
bool leaves_loader_cache(const Host& host, const Transaction& transaction);

// Reads back the plan of an interrupted rollback.
Snapshot load_undo(const Host& host, const Transaction& transaction);

}  // namespace topsctl

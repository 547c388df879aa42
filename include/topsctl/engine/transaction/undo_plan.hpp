// What undoing a committed transaction means on a machine that others may have changed since.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// The machine as it is to be restored, worked out from three states of each path: before the
// transaction, at its end, and now.
struct UndoPlan {
  Snapshot snapshot;                          // without families: nothing else is touched
  std::map<std::string, std::string> merged;  // contents that no state had, by name in the store
  std::vector<std::string> conflicts;  // what somebody else has changed since, of what would be
                                       // restored: paths, and packages as "package NAME"
  std::vector<std::string> notes;      // what of others' changes is left as it is
  std::vector<std::string> kept_of_others;  // paths of a transaction that came to no end: what
                                            // others have changed or made there
  std::vector<std::string> lost;            // of the same: what it took away and nobody kept
  bool rebuild_loader_cache = false;        // others changed it since: ldconfig(8) writes it anew
  bool is_of_times = false;                 // the transaction has changed nothing else
  std::string reason = {};                  // why, of a failure; history shows it
};

// The machine as it is, or as it will be when certain undos are done.
class ProjectedState {
 public:
  // The host must outlive it.
  explicit ProjectedState(const Host& host) : host_(host) {}

  const Host& host() const { return host_; }
  FileState state(const std::string& path, Content content) const;
  // Throws Error if there is no such file.
  std::string text(const std::string& path) const;
  // From now on this undo counts as done; `transaction` is the one it undoes.
  void pretend(const UndoPlan& undo, const Transaction& transaction);

 private:
  struct Pretended {
    FileState state;
    std::filesystem::path content;  // where its content lies; empty: in `text`
    std::string text;
  };
  const Host& host_;
  std::map<std::string, Pretended> pretended_;
};

// Records what the transaction made of each path that it changed, in `store`, an empty folder; for
// the comparison of a later undo; `new_paths` are the newcomers. dpkg's database files are kept
// whole. What the snapshot says is unread is not read. The caller syncs.
void record_state_after(const Host& host, const Snapshot& before,
                        const std::vector<std::string>& new_paths,
                        const std::filesystem::path& store);

// Compares the three states. Throws Error if the transaction's records are damaged or gone.
UndoPlan undo_of(const ProjectedState& now, const Transaction& transaction);

// Puts an undo into the transaction's folder, durably: a restore that is cut off goes on with it.
void write_undo(const Host& host, const UndoPlan& undo, const Transaction& transaction);
// Whether the undo in the transaction's folder has begun: something is as it makes it, and not as
// the transaction left it.
bool has_undo_begun(const Host& host, const Transaction& transaction);
// The same of a transaction of which the journal says no more than that it is committed.
bool is_undo_cut_off(const Host& host, const Transaction& transaction);
// Whether the undo in the transaction's folder leaves the loader's cache to ldconfig(8).
bool leaves_loader_cache(const Host& host, const Transaction& transaction);

// Reads back what a restore that was cut off needs.
Snapshot load_undo(const Host& host, const Transaction& transaction);

}  // namespace topsctl

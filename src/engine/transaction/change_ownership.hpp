// Separates the changes of an interrupted transaction from those of other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/transaction/dpkg_merge.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

// The present state of a path.
struct FileStamp {
  FileState state;
  std::int64_t changed_ns = 0;  // st_ctim
};
FileStamp stamp_of(const FileTree& tree, const std::string& path);

enum class Owner {
  us,
  others,
  both,   // the transaction wrote it, and another program changed it afterwards
  nobody  // it changes by itself, and did so after the transaction
};

class ChangeOwnership {
 public:
  // `target_state` is the state to restore, with contents in `store`; both must outlive it. Changes
  // after `end_ns` are foreign.
  ChangeOwnership(const Host& host, const Transaction& transaction, const Snapshot& target_state,
                  const std::filesystem::path& store, std::int64_t end_ns);

  std::int64_t end_ns() const { return end_ns_; }
  // The owner of a changed path of the target_state. Not for paths that are directories both before
  // and now, nor for dpkg's database files. `is_unpacked`: by dpkg.
  Owner owner(const KeptPath& kept, const FileStamp& look, bool is_unpacked);
  // Whether the transaction created a path that the target_state does not have. Throws
  // Error{host_unfit} if another program's dpkg was interrupted.
  bool created_by_us(const std::string& path, const FileStamp& look);
  // A dpkg database file without the transaction's records; adds conflicts.
  std::string without(const std::string& path, const std::string& before, const FileStamp& look,
                      std::vector<std::string>& conflicts) const;

 private:
  struct DpkgNow;  // dpkg's records of our packages

  bool is_late(const FileStamp& look) const { return look.changed_ns > end_ns_; }
  // False for an absent path, because its time is unknown.
  bool is_early(const FileStamp& look) const {
    return look.state.type != FileState::Type::absent && !is_late(look);
  }
  bool is_named(const std::string& path) const;
  Owner owner_of_found(const KeptPath& kept, const FileStamp& look) const;
  Owner owner_of_named(const KeptPath& kept, const FileStamp& look, bool is_unpacked);
  // Nothing: the path does not belong to an alternative.
  std::optional<Owner> owner_of_alternative(const std::string& path, const FileStamp& look);
  Owner owner_of_group(const std::string& group);
  bool is_own_diversion(const std::string& from, const std::string& to) const;
  bool is_own_choice(const std::string& name) const;
  bool was_conffile_touched(const std::string& path) const;
  const DpkgNow& dpkg_now();

  const Host& host_;
  const FileTree tree_;
  const Snapshot& target_state_;
  const std::filesystem::path& store_;
  const std::int64_t end_ns_;
  std::map<std::string, std::string> patched_;  // of a patch: digests of its patched files
  OwnDebs debs_;
  std::map<std::string, Owner> groups_;          // of update-alternatives(1), by name
  std::map<std::string, std::string> diverted_;  // each side of dpkg-divert(1)'s, before and now
  std::shared_ptr<const DpkgNow> dpkg_now_;
};

}  // namespace topsctl

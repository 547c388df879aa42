// What on a machine is the work of a transaction that came to no end, and what is somebody else's.
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

// A path as it is now.
struct Look {
  FileState state;
  std::int64_t changed_ns = 0;  // st_ctim
};
Look look_at(const FileTree& tree, const std::string& path);

enum class Owner {
  us,
  others,
  both,   // we wrote there, and somebody else has since
  nobody  // it changes by itself, and did after the transaction
};

class OwnWork {
 public:
  // `goal` is what is to be restored, its contents in `store`; both must outlive it. `end_ns`: what
  // was changed later is somebody else's.
  OwnWork(const Host& host, const Transaction& transaction, const Snapshot& goal,
          const std::filesystem::path& store, std::int64_t end_ns);

  std::int64_t end_ns() const { return end_ns_; }
  // Of a path of the goal that is not as it was; no folder before and now, and none of dpkg's
  // database files. `is_unpacked`: by dpkg.
  Owner owner(const KeptPath& kept, const Look& look, bool is_unpacked);
  // Of a path that the goal does not know. Throws Error{host_unfit} if somebody else's dpkg was
  // interrupted.
  bool is_own_newcomer(const std::string& path, const Look& look);
  // A database file of dpkg's without our records; conflicts are added.
  std::string without(const std::string& path, const std::string& before, const Look& look,
                      std::vector<std::string>& conflicts) const;

 private:
  struct DpkgNow;  // what its records say of our packages

  bool is_late(const Look& look) const { return look.changed_ns > end_ns_; }
  // Of what is absent, nobody knows.
  bool is_early(const Look& look) const {
    return look.state.type != FileState::Type::absent && !is_late(look);
  }
  bool is_named(const std::string& path) const;
  Owner owner_of_found(const KeptPath& kept, const Look& look) const;
  Owner owner_of_named(const KeptPath& kept, const Look& look, bool is_unpacked);
  // Nothing: the path is none of an alternative.
  std::optional<Owner> owner_of_alternative(const std::string& path, const Look& look);
  Owner owner_of_group(const std::string& group);
  bool is_own_diversion(const std::string& from, const std::string& to) const;
  bool is_own_choice(const std::string& name) const;
  bool was_conffile_touched(const std::string& path) const;
  const DpkgNow& dpkg_now();

  const Host& host_;
  const FileTree tree_;
  const Snapshot& goal_;
  const std::filesystem::path& store_;
  const std::int64_t end_ns_;
  std::map<std::string, std::string> patched_;  // of a patch: what it makes of its files
  OwnDebs debs_;
  std::map<std::string, Owner> groups_;          // of update-alternatives(1), by name
  std::map<std::string, std::string> diverted_;  // each side of dpkg-divert(1)'s, before and now
  std::shared_ptr<const DpkgNow> dpkg_now_;
};

}  // namespace topsctl

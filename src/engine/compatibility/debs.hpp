// The debs of a bundle and of a target with parsed relations, and queries by relation.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topsctl/engine/compatibility/compatibility.hpp"
#include "topsctl/model/relation.hpp"

namespace topsctl {

// A deb of the bundle or a package in the target's dpkg status.
struct KnownDeb {
  const Package* package = nullptr;       // of the bundle
  const TargetPackage* target = nullptr;  // of the target
  std::size_t index = 0;                  // of the bundle: into the inventory
  std::string name;
  std::string version;
  std::string architecture;  // "all" and nothing became the target's own
  std::string multi_arch;
  bool is_configured = true;  // may fulfil dependencies
  bool is_native = true;      // of the target's architecture
  std::vector<Clause> pre_depends;
  std::vector<Clause> depends;   // of the target: including Pre-Depends
  std::vector<Clause> optional;  // of the bundle: Recommends and Suggests
  std::vector<Clause> breaks;
  std::vector<Clause> conflicts;
  std::vector<Clause> replaces;
  std::vector<Clause> provides;

  bool of_bundle() const { return package != nullptr; }
  // "tops-sdk 2.5.136-1"
  std::string label() const { return name + " " + version; }
};

// Whether `replacer` may take over files of `other` (policy 7.6): its Replaces names it and accepts
// its version. Virtual packages do not count, as in dpkg.
bool is_replaced(const KnownDeb& other, const KnownDeb& replacer);
// Whether dpkg treats both as one package: the same name, and not a Multi-Arch: same pair.
bool is_same_package(const KnownDeb& a, const KnownDeb& b);

// The kind of relation: dependencies check the architecture, Breaks and Conflicts apply to any
// (dpkg(1)).
enum class RelationUse { dependency, exclusion };

// Debs that are installed together.
class DebSet {
 public:
  DebSet() = default;
  explicit DebSet(const std::vector<const KnownDeb*>& debs);

  // The debs that the relation refers to, by name or by Provides, in the given order; for a
  // dependency, only configured ones. A Provides without a version matches no version.
  std::vector<const KnownDeb*> meant(const Relation& relation, const KnownDeb& by,
                                     RelationUse use) const;
  bool is_met(const Clause& clause, const KnownDeb& by) const;
  // All debs of that name, of any version and architecture.
  std::vector<const KnownDeb*> named(std::string_view name) const;
  // All debs of other names that provide that name.
  std::vector<const KnownDeb*> providing(std::string_view name) const;

 private:
  struct Entry {
    const KnownDeb* deb = nullptr;
    const Relation* provided = nullptr;  // nullptr: it is the deb's own name
  };
  std::unordered_map<std::string_view, std::vector<Entry>> entries_;
};

// An installed package that dpkg removes in favour of one of the bundle (policy 7.6.2).
struct Removal {
  const KnownDeb* gone = nullptr;
  const KnownDeb* by = nullptr;
};

// Both sides, and the packages present before and after.
struct ComparedDebs {
  std::deque<KnownDeb> all;
  std::vector<const KnownDeb*> bundle;  // in the stack's order, then by name
  std::vector<const KnownDeb*> target;  // those with files on the disk, by name
  std::vector<Removal> removals;
  DebSet before;
  DebSet after;

  // The deb of the bundle that replaces this package of the target; nullptr: it stays.
  const KnownDeb* replacement(const KnownDeb& installed) const;
  bool is_removed(const KnownDeb& installed) const;

  std::unordered_map<const KnownDeb*, const KnownDeb*> replaced_by;
  // Packages that dpkg would remove if others did not depend on them, with the label of one that
  // does.
  std::unordered_map<const KnownDeb*, std::string> needed_by;
};

// Among several debs of one name selects the one for the target's architecture, then the newest.
ComparedDebs debs_of(const Inspection& inspection, const std::vector<std::size_t>& chosen,
                     const TargetSnapshot& target, const CompatibilityRules& rules);

}  // namespace topsctl

// Whether the chosen packages of a bundle fit a machine, and what would change there; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// What becomes of a package of that name: it was not there, is there in this very version, or in
// an older or newer one.
enum class ChangeAction { fresh, same, upgrade, downgrade };
std::string_view name(ChangeAction action);  // "new" for `fresh`

struct CompatibilityChange {
  std::size_t index = 0;  // into the inventory's packages
  std::string python;     // wheels: the interpreter's executable; empty for debs
  std::string now;        // the version that the target has; empty: none
  std::string then;
  ChangeAction action = ChangeAction::fresh;
  bool operator==(const CompatibilityChange&) const = default;
};

// What the packages need of one mount point while they are installed: dpkg keeps the old files of
// an upgrade beside the new ones, so nothing is subtracted for them.
struct SpaceNeed {
  std::string mount;
  std::uint64_t needed_bytes = 0;  // in blocks, as the disk sees it
  std::uint64_t free_bytes = 0;
  std::uint64_t needed_inodes = 0;
  std::uint64_t free_inodes = 0;
  bool counts_inodes = false;
  bool read_only = false;
  bool operator==(const SpaceNeed&) const = default;
};

// Which of the bundle's wheels of one distribution an interpreter takes.
struct DistributionCompatibility {
  std::string distribution;          // normalized name (PEP 503)
  std::optional<std::size_t> wheel;  // index into the inventory's packages; none fits
  std::string why;
  bool operator==(const DistributionCompatibility&) const = default;
};

struct InterpreterCompatibility {
  std::string executable;
  std::string minor;
  std::string pip_version;  // empty: no pip
  bool is_taken = false;    // the one that `changes` and `space` speak of
  std::vector<DistributionCompatibility> wheels;
  bool operator==(const InterpreterCompatibility&) const = default;
};

struct CompatibilityReport {
  std::vector<CompatibilityChange> changes;  // debs in the order of installation, then wheels
  // Debs, as dpkg should get them: indices, in as many calls of dpkg as Pre-Depends ask for.
  std::vector<std::vector<std::size_t>> install_calls;
  std::vector<SpaceNeed> space;  // sorted by mount; only mounts that get something
  std::vector<InterpreterCompatibility> interpreters;
  bool libraries_checked = false;  // the packages were read deeply and the target's libraries known
  std::vector<Finding> findings;   // worst first, then by id and subject
};

// Libraries that a distribution brings for the extension modules of others: what begins like one
// of `prefixes` is there when the distribution is.
struct LibraryProvider {
  std::string distribution;
  std::vector<std::string> prefixes;
};

// A distribution beside which a wheel works only where both versions begin with the same two
// numbers.
struct Companion {
  std::string wheel;   // the wheel's distribution, normalized
  std::string beside;  // "torch"
  bool operator==(const Companion&) const = default;
};
std::vector<Companion> companions_of(const Stack& stack);
std::set<std::string> fixed_distributions(const Stack& stack);

struct CompatibilityRules {
  std::vector<std::string> component_order;  // ids of the stack's components, for a stable order
  std::vector<LibraryProvider> python_libraries = {
      {"torch", {"libtorch", "libc10", "libshm.", "libcaffe2"}},
      {"tensorflow", {"libtensorflow_framework"}},
      {"paddlepaddle", {"libpaddle"}}};
  std::string strict_pip = "24.1";  // the first that refuses versions PEP 440 does not know
  std::uint64_t block_size = 4096;
  // What dpkg writes besides the packages' own records: status, its copies, the log.
  std::uint64_t dpkg_overhead = 16U << 20U;
  std::string dpkg_folder = "/var/lib/dpkg";
  // Where the loader will look besides, by the environment of the stack.
  std::vector<std::string> library_folders;
  // What else is written before the packages are, and where.
  std::string staging_folder = "/var/lib/topsctl";
  std::uint64_t staged_bytes = 0;
  std::vector<Companion> companions = {};
  // Normalized names of distributions that stacks leave as they are, or build on.
  std::set<std::string> fixed = {};
  // The interpreters that an install asks, in its order: the first that takes all is its choice.
  std::vector<std::string> executables = {};
};

// What an install would take of a bundle: the chosen packages, or all that are sound and not
// archived where none is chosen; of several debs of one name the newest. Indices, ascending.
std::vector<std::size_t> packages_to_fit(const Inventory& inventory);

// Compares the packages `chosen` (indices into the inventory; other kinds than debs and wheels are
// passed over) with the target. The result does not depend on the order of the packages but for
// the indices themselves. Libraries are looked at only where the inspection is deep. Never throws
// for what packages or target hold.
//
// Debs are judged as `dpkg --install` of all of them at once would, without force options and
// without --auto-deconfigure (policy 7.2 to 7.6, dpkg(1)), and beyond: dpkg itself does not look at
// installed packages whose dependencies an upgrade breaks.
CompatibilityReport fit_of(const Inspection& inspection, const std::vector<std::size_t>& chosen,
                           const TargetSnapshot& target, const CompatibilityRules& rules = {});

// What no host could install, whatever it has: files that two debs of the bundle both have.
std::vector<Finding> clashes_in_bundle(const Inspection& inspection,
                                       const std::vector<std::size_t>& chosen,
                                       const CompatibilityRules& rules);

// All but the findings, which belong to the report as a whole.
Json to_json(const CompatibilityReport& fit, const Inventory& inventory,
             const TargetSnapshot& target);

}  // namespace topsctl

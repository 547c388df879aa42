// Whether the selected packages of a bundle fit a host, and what would change; pure.
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

// The change to the package of that name: it is not installed, is installed in the same version, or
// in an older or newer one.
enum class ChangeAction { added, same, upgrade, downgrade };
std::string_view name(ChangeAction action);  // "new" for `added`

struct CompatibilityChange {
  std::size_t index = 0;  // into the inventory's packages
  std::string python;     // wheels: the interpreter's executable; empty for debs
  std::string now;        // the installed version; empty: none
  std::string then;
  ChangeAction action = ChangeAction::added;
  bool operator==(const CompatibilityChange&) const = default;
};

// Space that the packages need on one mount point during the install: dpkg keeps the old files of
// an upgrade beside the new ones, so their size is not subtracted.
struct SpaceNeed {
  std::string mount;
  std::uint64_t needed_bytes = 0;  // in blocks
  std::uint64_t free_bytes = 0;
  std::uint64_t needed_inodes = 0;
  std::uint64_t free_inodes = 0;
  bool counts_inodes = false;
  bool read_only = false;
  bool operator==(const SpaceNeed&) const = default;
};

// The wheel of one distribution that an interpreter would install.
struct DistributionCompatibility {
  std::string distribution;          // normalized name (PEP 503)
  std::optional<std::size_t> wheel;  // index into the inventory's packages; nothing: none fits
  std::string why;
  bool operator==(const DistributionCompatibility&) const = default;
};

struct InterpreterCompatibility {
  std::string executable;
  std::string minor;
  std::string pip_version;  // empty: no pip
  bool is_taken = false;    // `changes` and `space` refer to this one
  std::vector<DistributionCompatibility> wheels;
  bool operator==(const InterpreterCompatibility&) const = default;
};

struct CompatibilityReport {
  std::vector<CompatibilityChange> changes;  // debs in the order of installation, then wheels
  // Indices of debs in dpkg's order, in as many dpkg calls as Pre-Depends require.
  std::vector<std::vector<std::size_t>> install_calls;
  std::vector<SpaceNeed> space;  // sorted by mount; only mounts that receive files
  std::vector<InterpreterCompatibility> interpreters;
  bool libraries_checked = false;  // packages were read deeply and the target's libraries are known
  std::vector<Finding> findings;   // worst first, then by id and subject
};

// Libraries that a distribution provides for extension modules of others: if it is installed,
// libraries with one of `prefixes` are present.
struct LibraryProvider {
  std::string distribution;
  std::vector<std::string> prefixes;
};

// A distribution that a wheel needs in the same version, by its first two numbers.
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
  std::string strict_pip = "24.1";  // the first pip that rejects versions that are not PEP 440
                                    // compliant
  std::uint64_t block_size = 4096;
  // Written by dpkg besides the packages' own records: status, its copies, the log.
  std::uint64_t dpkg_overhead = 16U << 20U;
  std::string dpkg_folder = "/var/lib/dpkg";
  // Additional library directories, from the stack's environment.
  std::vector<std::string> library_folders;
  // Files that are written before the packages, and their directory.
  std::string staging_folder = "/var/lib/topsctl";
  std::uint64_t staged_bytes = 0;
  std::vector<Companion> companions = {};
  // Normalized names of distributions that stacks do not change, or build on.
  std::set<std::string> fixed = {};
  // The interpreters that an install tries, in its order: it uses the first that fits all wheels.
  std::vector<std::string> executables = {};
};

// The packages that an install would select: the chosen ones, or if none is chosen all that are
// readable and not archived; of several debs of one name the newest. Indices, ascending.
std::vector<std::size_t> packages_to_fit(const Inventory& inventory);

// Compares the packages `chosen` (indices into the inventory; only debs and wheels count) with the
// target. The result does not depend on the order of the packages except for the indices. Checks
// libraries only if the inspection is deep. Never throws because of the content of packages or
// target.
// Debs are judged as by `dpkg --install` of all of them at once, without force options and without
// --auto-deconfigure (policy 7.2 to 7.6, dpkg(1)). Also reports installed packages whose
// dependencies an upgrade breaks, which dpkg itself does not check.
CompatibilityReport fit_of(const Inspection& inspection, const std::vector<std::size_t>& chosen,
                           const TargetSnapshot& target, const CompatibilityRules& rules = {});

// Conflicts on every host: files that two debs of the bundle both have.
std::vector<Finding> clashes_in_bundle(const Inspection& inspection,
                                       const std::vector<std::size_t>& chosen,
                                       const CompatibilityRules& rules);

// Without the findings, which belong to the whole report.
Json to_json(const CompatibilityReport& fit, const Inventory& inventory,
             const TargetSnapshot& target);

}  // namespace topsctl

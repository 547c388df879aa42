// The questions that fit_of() asks one after the other; each adds its findings.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/compatibility/debs.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

using Findings = std::vector<Finding>;

// The first pieces of a long list of evidence, and how many more there are.
constexpr std::size_t most_evidence = 10;
std::vector<Evidence> shortened(std::vector<Evidence> evidence);

// --- fit_packages.cpp
// Architecture, compression, fields that cannot be read, packages that are not completely
// installed.
void check_packages(const ComparedDebs& debs, const TargetSnapshot& target, Findings& findings);
ChangeAction change_action(std::string_view now, std::string_view then,
                           int (*compare)(std::string_view, std::string_view));
std::vector<CompatibilityChange> deb_changes(const ComparedDebs& debs,
                                             const std::vector<const KnownDeb*>& order,
                                             Findings& findings);

// --- fit_dependencies.cpp
// Depends and Pre-Depends of the bundle, and of installed packages that were met before.
void check_dependencies(const ComparedDebs& debs, const Inspection& inspection, Findings& findings);

// --- fit_conflicts.cpp
// Breaks and Conflicts between bundle and target, both ways, and within the bundle.
void check_conflicts(const ComparedDebs& debs, Findings& findings);

// --- fit_order.cpp
using Precedence = std::set<std::pair<const KnownDeb*, const KnownDeb*>>;  // first, then second
struct InstallOrder {
  std::vector<const KnownDeb*> debs;
  std::vector<std::size_t> call;  // of each deb, from 0
};
// The debs so that each comes after those it depends on; what is asked for in `wishes` is kept
// where dependencies allow it. Else in the bundle's order. Names cycles, and what one call of dpkg
// cannot do: it unpacks all debs before it configures any, so that a Pre-Depends which only the
// bundle meets needs a call before.
InstallOrder install_order(const ComparedDebs& debs, const Precedence& wishes, Findings& findings);
// Pairs of which the second breaks or conflicts with the installed version of the first, or that
// with it, while the bundle's version of the first does not; or of which the second takes away what
// the installed version of the first depends on.
Precedence exclusion_order(const ComparedDebs& debs);

// --- fit_files.cpp
// A file of an installed package that its new version, in the bundle too, no longer has.
struct FileTakeover {
  const KnownDeb* from = nullptr;  // of the bundle
  const KnownDeb* to = nullptr;
  std::string path;
};
struct FileClashes {
  struct Pair {
    const KnownDeb* deb = nullptr;    // of the bundle
    const KnownDeb* other = nullptr;  // of the target or the bundle
    bool operator<(const Pair& right) const;
  };
  std::map<Pair, std::vector<Evidence>> with_installed;
  std::map<Pair, std::vector<Evidence>> in_bundle;
  std::vector<FileTakeover> handovers;
};
FileClashes file_clashes(const ComparedDebs& debs, const TargetSnapshot& target);
// `order` decides which handovers come too early, and whose finding a clash in the bundle is.
void check_files(const FileClashes& clashes, const std::vector<const KnownDeb*>& order,
                 Findings& findings);
// Whether /lib is /usr/lib there, as far as its packages and libraries tell.
bool is_usr_merged(const TargetSnapshot& target);

// --- fit_wheels.cpp
std::vector<InterpreterCompatibility> interpreter_fits(const Inspection& inspection,
                                                       const std::vector<std::size_t>& wheels,
                                                       const TargetSnapshot& target);
void check_wheels(const Inspection& inspection, const std::vector<std::size_t>& wheels,
                  const TargetSnapshot& target, const CompatibilityRules& rules,
                  const std::vector<InterpreterCompatibility>& interpreters, Findings& findings);
std::vector<CompatibilityChange> wheel_changes(
    const Inspection& inspection, const TargetSnapshot& target,
    const std::vector<InterpreterCompatibility>& interpreters, Findings& findings);

// --- fit_libraries.cpp
// False: the packages were not read deeply or the target's libraries are not known.
bool check_libraries(const Inspection& inspection, const ComparedDebs& debs,
                     const std::vector<InterpreterCompatibility>& interpreters,
                     const TargetSnapshot& target, const CompatibilityRules& rules,
                     Findings& findings);

// --- fit_space.cpp
std::vector<SpaceNeed> space_needs(const Inspection& inspection, const ComparedDebs& debs,
                                   const std::vector<InterpreterCompatibility>& interpreters,
                                   const TargetSnapshot& target, const CompatibilityRules& rules,
                                   Findings& findings);

}  // namespace topsctl

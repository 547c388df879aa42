// The packages of a bundle as the draft of a stack needs them: each once, in the order of their
// dependencies.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/inspection.hpp"

namespace topsctl {

// Programs link with it: it has a soname, and lies in a library directory.
struct DraftLibrary {
  std::string file;       // name under which programs find it: its soname, if the package has that
  std::string directory;  // absolute
  std::string version_function;  // int(int*), by the custom of its family; empty: none
};

struct DraftPackage {
  const Package* package = nullptr;  // in the inspection
  std::size_t others = 0;            // of the same name and kind in the bundle
  std::set<std::string> minors;      // of Python, by all wheels of the name
  std::set<std::string> after;       // packages of the bundle on which it depends
  std::vector<DraftLibrary> libraries;
  std::map<std::string, std::string> programs;  // one for each directory
  std::string module;                           // of a wheel: its top module; empty: none
};

struct DraftPackages {
  std::vector<DraftPackage> all;
  std::set<std::string> outside;            // on which debs depend, not in the bundle
  std::set<std::string> missing_libraries;  // that wheels load, not in the bundle
  std::set<std::string> unreadable;         // paths
  std::map<Setting, std::uint64_t> settings;

  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  std::size_t size() const { return all.size(); }
  bool are_unrelated() const;
  bool has_only(PackageKind kind) const;
};

// Throws Error{bad_bundle} if there is no usable deb or wheel.
DraftPackages packages_of_draft(const Inspection& inspection);

// The distribution in a requirement (PEP 508), normalized: "torch" of "Torch (>=1.10) ; extra".
std::string distribution_of(std::string_view requirement);

}  // namespace topsctl

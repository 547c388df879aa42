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

// "3.8" comes before "3.10".
struct VersionLess {
  bool operator()(const std::string& one, const std::string& other) const;
};
using Minors = std::set<std::string, VersionLess>;

struct DraftProgram {
  std::string file;
  std::string directory;  // absolute
};

struct DraftPackage {
  const Package* package = nullptr;  // in the inspection
  std::string id;                    // unique among all: the name, or "NAME-wheel" beside a deb
  bool is_optional = false;          // named as what a run does not need, and nothing else needs it
  std::size_t others = 0;            // of the same name and kind in the bundle
  Minors minors;                     // of Python, by all wheels of the name
  std::set<std::string> after;       // ids on which it depends, and which come before it
  std::set<std::string> in_circle;   // ids on which it depends, and which come later
  std::vector<DraftLibrary> libraries;
  std::vector<DraftProgram> programs;
  std::map<std::string, std::string> texts;  // as Contents has them
  std::string module;                        // of a wheel: its top module; empty: none
};

struct DraftPackages {
  std::vector<DraftPackage> all;
  std::set<std::string> outside;            // on which debs depend, not in the bundle
  std::set<std::string> missing_libraries;  // that wheels load, not in the bundle
  std::set<std::string> unreadable;         // paths
  std::set<std::string> inexpressible;      // paths and names that no stack file can hold
  std::map<Setting, std::uint64_t> settings;

  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  std::size_t size() const { return all.size(); }
  bool are_unrelated() const;
  // The directories in which debs have a file, by its name.
  std::map<std::string, std::set<std::string>> directories_by_file() const;
  bool has_only(PackageKind kind) const;
};

// Throws Error{bad_bundle} if there is no usable deb or wheel.
DraftPackages packages_of_draft(const Inspection& inspection);

// The distribution in a requirement (PEP 508), normalized: "torch" of "Torch (>=1.10) ; extra".
std::string distribution_of(std::string_view requirement);

}  // namespace topsctl

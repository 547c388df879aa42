// What changed from one bundle to another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/reporting/line_diff.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Archives that hold packages, by place; one that only lies elsewhere is none.
struct ContainerChange {
  std::string place;
  bool is_new = false;
  bool is_gone = false;  // neither: its content differs
  std::uint64_t size_before = 0;
  std::uint64_t size_after = 0;
  bool operator==(const ContainerChange&) const = default;
};

// A variable that scripts set otherwise than before.
struct SettingChange {
  std::string name;
  std::vector<std::string> before;  // values, sorted; empty: it was not set
  std::vector<std::string> after;
  bool operator==(const SettingChange&) const = default;
};

struct BundleDiff {
  std::vector<PackageEntry> added;
  std::vector<PackageEntry> removed;
  std::vector<PackageDiff> changed;
  std::uint64_t same = 0;  // packages with the very same content
  Excerpt<ContainerChange> containers;
  bool settings_compared = false;  // both were read with all data
  Excerpt<SettingChange> settings;
  bool operator==(const BundleDiff&) const = default;

  bool is_empty() const;
};

// Packages are matched by kind, normalised name and, for wheels, Python minor version; archived
// ones are left out. Of several alike, equal versions go together, then the newest.
BundleDiff diff_of(const Inspection& before, const Inspection& after);

}  // namespace topsctl

// The differences between two bundles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/reporting/line_diff.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Archives that contain packages, by place; an archive that was only moved is not listed.
struct ContainerChange {
  std::string place;
  bool is_new = false;
  bool is_gone = false;  // neither is_new nor is_gone: its content differs
  std::uint64_t size_before = 0;
  std::uint64_t size_after = 0;
  bool operator==(const ContainerChange&) const = default;
};

// A variable that scripts set to other values than before.
struct SettingChange {
  std::string name;
  std::vector<std::string> before;  // values, sorted; empty: not set
  std::vector<std::string> after;
  bool operator==(const SettingChange&) const = default;
};

struct BundleDiff {
  std::vector<PackageEntry> added;
  std::vector<PackageEntry> removed;
  std::vector<PackageDiff> changed;
  std::uint64_t same = 0;  // packages with identical content
  Excerpt<ContainerChange> containers;
  bool settings_compared = false;  // both bundles were read with all data
  Excerpt<SettingChange> settings;
  bool operator==(const BundleDiff&) const = default;

  bool is_empty() const;
};

// Matches packages by kind, normalized name and, for wheels, Python minor version; ignores archived
// ones. Among several matches, pairs equal versions first, then the newest.
BundleDiff diff_of(const Inspection& before, const Inspection& after);

}  // namespace topsctl

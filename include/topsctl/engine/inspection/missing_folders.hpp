// Directories that dpkg needs and a package does not contain.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Whether a directory, by its absolute path, exists before the package is installed.
using FolderTest = std::function<bool(const std::string& path)>;

// Whether every Debian system has the directory.
bool is_base_folder(const std::string& path);
// The directories of a host by its snapshot: those above each owned path.
FolderTest folders_of(const TargetSnapshot& target);

// A finding if dpkg could not unpack an entry of a deb whose payload was read: dpkg creates a
// directory only for its own entry, which must precede the directory's content, and creates links
// last.
std::optional<Finding> missing_folders(const Package& package, const FolderTest& exists);

// Judges findings again by the directories of a host instead of those that every system has.
void settle_missing_folders(std::vector<Finding>& findings, const std::vector<Package>& packages,
                            const FolderTest& exists);

}  // namespace topsctl

// Directories that dpkg needs and a package does not bring.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Whether a directory, by its absolute path, is there before the package comes.
using FolderTest = std::function<bool(const std::string& path)>;

// Those that every Debian system has.
bool is_base_folder(const std::string& path);
// Those of a host, as far as a snapshot knows: of every owned path the directories above it.
FolderTest folders_of(const TargetSnapshot& target);

// The finding on a deb whose payload was read, if dpkg could not unpack an entry: it makes a
// directory only for an entry of its own, which must come before what lies in it, and links last of
// all.
std::optional<Finding> missing_folders(const Package& package, const FolderTest& exists);

// Judges again, by the directories of a host, what was judged by those that every system has.
void settle_missing_folders(std::vector<Finding>& findings, const std::vector<Package>& packages,
                            const FolderTest& exists);

}  // namespace topsctl

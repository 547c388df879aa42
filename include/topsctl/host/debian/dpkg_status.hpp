// The only reader of dpkg's database (status file, updates, diversions and lists) and of dpkg's
// features by version.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// The database as dpkg's commands see it: the status file, updated by the files in `updates`, where
// dpkg notes changes that it has not yet written there (a later file replaces an earlier one), and
// the diversions. Callers that need several parts read it once and pass it on, because it may
// change.
struct DpkgDatabase {
  std::vector<TargetPackage>
      packages;  // in the order of the status file, without not-installed ones
  std::vector<Diversion> diversions;
};

// Throws Error{host_unfit} if the host has no dpkg database, or one that dpkg itself rejects.
DpkgDatabase read_dpkg_database(const Host& host);
// Only the packages.
std::vector<TargetPackage> read_packages(const Host& host);
// Parses the packages of a status file. Throws Error{host_unfit} for a `Status` field that dpkg
// rejects.
std::vector<TargetPackage> parse_packages(std::string_view status);

// Whether the status file is complete: dpkg has no pending file in `updates`.
bool is_dpkg_at_rest(const Host& host);

// The package of that name; among several architectures the installed one, else the first. nullptr:
// not found.
const TargetPackage* package_named(const std::vector<TargetPackage>& packages,
                                   std::string_view name);
// The named packages in any state, with their file lists and scripts.
std::map<std::string, InstalledDeb> read_debs(const Host& host,
                                              const std::vector<TargetPackage>& packages,
                                              const std::vector<std::string>& names);
// "name (status)" of every package that is_unfinished.
std::vector<std::string> unfinished_packages(const std::vector<TargetPackage>& packages);

// In the order of the file; skips an incomplete entry at its end, and entries with invalid paths.
std::vector<Diversion> read_diversions(const Host& host);
// Parses the text of that file.
std::vector<Diversion> parse_diversions(const std::string& text);

// The data compressions that this version of dpkg unpacks, in the order of deb(5): "gzip", "bzip2",
// "lzma", "xz", "zstd". Empty for an unknown version.
std::vector<std::string> dpkg_compressions(std::string_view version);

}  // namespace topsctl

// The one reader of dpkg's database: status file, updates, diversions and lists; and what its
// version can.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// What dpkg's commands see of the database: the status file with the `updates` beside it, in which
// dpkg notes what it has not yet written there (a later file stands above an earlier one), and the
// diversions. Whoever needs several parts of it reads it once and hands it on: it may change.
struct DpkgDatabase {
  std::vector<TargetPackage>
      packages;  // in the order of the status file, without not-installed ones
  std::vector<Diversion> diversions;
};

// Throws Error{host_unfit} if the machine has no dpkg database, or one that dpkg itself refuses.
DpkgDatabase read_dpkg_database(const Host& host);
// The packages of it alone.
std::vector<TargetPackage> read_packages(const Host& host);
// The packages of a status file's text. Throws Error{host_unfit} for a field `Status` that dpkg
// refuses.
std::vector<TargetPackage> parse_packages(std::string_view status);

// Whether the status file is all that there is to know: no file of `updates` waits for dpkg.
bool is_dpkg_at_rest(const Host& host);

// The package of that name; of several architectures' the one that is installed, else the first.
// nullptr: there is none.
const TargetPackage* package_named(const std::vector<TargetPackage>& packages,
                                   std::string_view name);
// Those of the names that are there in any state, with their file lists and scripts.
std::map<std::string, InstalledDeb> read_debs(const Host& host,
                                              const std::vector<TargetPackage>& packages,
                                              const std::vector<std::string>& names);
// "name (status)" of every package that is_unfinished.
std::vector<std::string> unfinished_packages(const std::vector<TargetPackage>& packages);

// In the order of the file; incomplete ones at its end, and those of paths that are none, are
// passed over.
std::vector<Diversion> read_diversions(const Host& host);
// The same of the text of that file.
std::vector<Diversion> parse_diversions(const std::string& text);

// The compressions of data members that this version of dpkg unpacks, in the order of deb(5):
// "gzip", "bzip2", "lzma", "xz", "zstd". Empty: no version that is known.
std::vector<std::string> dpkg_compressions(std::string_view version);

}  // namespace topsctl

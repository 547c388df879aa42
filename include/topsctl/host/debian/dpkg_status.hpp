// dpkg's status file, diversions and what its version can.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Every package of the status file, in its order, with what an interrupted dpkg noted beside it
// (the `updates` folder); those that are not installed at all are left out. Throws
// Error{host_unfit} if the machine has no dpkg database.
std::vector<TargetPackage> read_packages(const Host& host);

// The packages of a status file's text.
std::vector<TargetPackage> parse_packages(std::string_view status);

// The paths of a field `Conffiles`.
std::vector<std::string> conffile_paths(const std::string& value);

// In the order of the file; incomplete ones at its end, and those of paths that are none, are
// passed over.
std::vector<Diversion> read_diversions(const Host& host);

// The compressions of data members that this version of dpkg unpacks, in the order of deb(5):
// "gzip", "bzip2", "lzma", "xz", "zstd". Empty: no version that is known.
std::vector<std::string> dpkg_compressions(std::string_view version);

}  // namespace topsctl

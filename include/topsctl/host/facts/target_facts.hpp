// Collects the facts of a host for `inspect --against`, or reads them from a file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Reads the host without changing it; runs `pythons` and `usual` in addition to the interpreters
// that it finds (interpreters.hpp). Needs no root for the running system; the interpreters of
// another root are run by root only. Calls `left_out` with one sentence for each omission. Throws
// Error{host_unfit} if there is no dpkg database.
TargetSnapshot read_target_snapshot(
    const Host& host, const std::vector<std::string>& pythons,
    const std::function<void(const std::string&)>& left_out = [](const std::string&) {},
    const std::vector<std::string>& usual = {});

// The same without the interpreters, from a database that was read; runs no program.
TargetSnapshot read_target_system(const Host& host, DpkgDatabase database);

// The highest of "PREFIX1.2.3" by its numbers, without the prefix; empty: none.
std::string highest_version(const std::vector<std::string>& versions, std::string_view prefix);

// Reads a file of `topsctl snapshot`. Throws Error{bad_package}.
TargetSnapshot load_target_snapshot(const std::filesystem::path& file);

// The host with this root directory; nothing if it is not a directory.
std::optional<Host> host_at_root(const Host& host, const std::string& root_or_file);

// A directory is a host's root, a file is a snapshot; relative names start at the working
// directory. Throws the errors of the two above, and Error{bad_package} for anything else.
TargetSnapshot target_of(const Host& host, const std::string& root_or_file,
                         const std::vector<std::string>& usual_pythons = {});

}  // namespace topsctl

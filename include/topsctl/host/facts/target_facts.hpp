// Gathers what `inspect --against` may know of a machine, or reads it from a file.
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

// Looks at the machine without changing anything; `pythons` and `usual` are asked beside the
// interpreters that are found (interpreters.hpp). Needs no root for the machine it runs on; the
// interpreters of another root are asked by root only. What was left out is told to `left_out`, one
// sentence each. Throws Error{host_unfit} if there is no dpkg database.
TargetSnapshot read_target_snapshot(
    const Host& host, const std::vector<std::string>& pythons,
    const std::function<void(const std::string&)>& left_out = [](const std::string&) {},
    const std::vector<std::string>& usual = {});

// The same without the interpreters, from a database that was read; nothing is started for it.
TargetSnapshot read_target_system(const Host& host, DpkgDatabase database);

// The highest of "PREFIX1.2.3" by its numbers, without the prefix; empty: there is none.
std::string highest_version(const std::vector<std::string>& versions, std::string_view prefix);

// Reads a file that `topsctl snapshot` wrote. Throws Error{bad_package}.
TargetSnapshot load_target_snapshot(const std::filesystem::path& file);

// The host whose root directory that is; nothing: it is no directory.
std::optional<Host> host_at_root(const Host& host, const std::string& root_or_file);

// A folder is a machine's root directory, a file is a snapshot; relative names start at the working
// directory. Throws as the two above, and Error{bad_package} for what is neither.
TargetSnapshot target_of(const Host& host, const std::string& root_or_file,
                         const std::vector<std::string>& usual_pythons = {});

}  // namespace topsctl

// Values of /proc/PID; empty for a process that has ended, or belongs to another user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

// At most 1 MiB.
std::string process_text(const std::filesystem::path& file);
// The target of a link in /proc/PID.
std::string process_link(const std::filesystem::path& link);
// The fields of /proc/PID/stat behind the name, which may have blanks and brackets (proc(5)):
// state, parent, process group, ...
std::vector<std::string> process_status(const std::filesystem::path& folder);

}  // namespace topsctl

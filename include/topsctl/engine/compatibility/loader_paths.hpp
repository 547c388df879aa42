// Directories that the dynamic loader searches for libraries, ld.so(8).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The parts of a path: "/opt/lib" and "x.so" of "/opt/lib/x.so".
std::string_view folder_part(std::string_view path);
std::string_view name_part(std::string_view path);

// "/opt/tops/bin/../lib" -> "/opt/tops/lib"; ignores ".." above the top of a relative path.
std::string normal_path(std::string_view path);

// Expands $ORIGIN in an entry of a file's RUNPATH or RPATH; empty for an entry that depends on the
// host.
std::string search_folder(std::string_view entry, std::string_view file);

// The directories that the loader searches without its cache, including Debian's multiarch ones.
// `architecture`: dpkg's name, "amd64".
std::vector<std::string> default_folders(std::string_view architecture);

}  // namespace topsctl

// Where the dynamic loader looks for libraries, ld.so(8).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The parts of a path: "/opt/lib" and "x.so" of "/opt/lib/x.so".
std::string_view folder_part(std::string_view path);
std::string_view name_part(std::string_view path);

// "/opt/tops/bin/../lib" -> "/opt/tops/lib"; of a relative path, ".." above its top is dropped.
std::string normal_path(std::string_view path);

// An entry of a file's RUNPATH or RPATH with $ORIGIN filled in; empty: one that depends on the
// machine.
std::string search_folder(std::string_view entry, std::string_view file);

// The folders that the loader searches without its cache, Debian's multiarch ones included.
// `architecture`: dpkg's name, "amd64".
std::vector<std::string> default_folders(std::string_view architecture);

}  // namespace topsctl

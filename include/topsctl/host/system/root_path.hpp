// Paths relative to a root directory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace topsctl {

// Whether to follow the last part of a path if it is a link.
enum class LastLink { keep, follow };

// Converts `path` (absolute, inside `root`) to a path of this process. Follows links inside the
// root, never out of it; keeps missing parts unchanged. Throws Error{host_unfit} for a loop of
// links.
std::filesystem::path resolved_in_root(const std::filesystem::path& root, std::string_view path,
                                       LastLink last = LastLink::keep);

// The same path inside the root, with links in all parts except the last followed.
std::string canonical_in_root(const std::filesystem::path& root, std::string_view path,
                              LastLink last = LastLink::keep);

}  // namespace topsctl

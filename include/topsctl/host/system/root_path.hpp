// Paths as a root directory sees them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace topsctl {

// Whether the last part of a path is followed when it is a link.
enum class LastLink { keep, follow };

// The path of `path` (absolute, as seen inside `root`) on this machine. Links are followed inside
// the root, never out of it; parts that do not exist are taken as they stand. Throws
// Error{host_unfit} for a loop of links.
std::filesystem::path resolved_in_root(const std::filesystem::path& root, std::string_view path,
                                       LastLink last = LastLink::keep);

// The same path as the root itself sees it, with links in all parts but the last followed.
std::string canonical_in_root(const std::filesystem::path& root, std::string_view path,
                              LastLink last = LastLink::keep);

}  // namespace topsctl

// Directories that only their owner and root can change or replace.
#pragma once

#include <filesystem>

namespace topsctl {

// Requires a directory that only its owner, this user, can enter; creates it if missing. Throws
// Error{permission} for a link, for one that others own or may write to, and as require_own_way.
void require_own_folder(const std::filesystem::path& folder);

// Throws Error{permission} if another user could replace a directory on the way to `path`: each
// must belong to this user or root, as must each link, and must not be writable by others unless it
// is sticky. Skips missing directories.
void require_own_way(const std::filesystem::path& path);
// Whether require_own_way would succeed.
bool is_own_way(const std::filesystem::path& path);

}  // namespace topsctl

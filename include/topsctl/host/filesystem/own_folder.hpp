// Folders that nobody but their owner and root can change or exchange for others.
#pragma once

#include <filesystem>

namespace topsctl {

// A folder that only its owner, who we are, can enter: made if it is not there. Throws
// Error{permission} for a link, for what others own or may write to, and as require_own_way.
void require_own_folder(const std::filesystem::path& folder);

// Throws Error{permission} if somebody else could put another folder in the place of one that leads
// to `path`: each must be ours or root's, as must be a link on the way, and others may write to
// none that is not sticky. Those that are not there yet are passed over.
void require_own_way(const std::filesystem::path& path);
// Whether it would not throw that.
bool is_own_way(const std::filesystem::path& path);

}  // namespace topsctl

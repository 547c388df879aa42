// Files that determine whom topsctl trusts: only root and the caller may write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace topsctl {

inline constexpr std::uint64_t most_own_file = std::uint64_t{64} << 10U;  // bytes

// The whole text of a small file; nothing if it is missing. Throws Error{permission} if it is not a
// regular file, or if other users could write it or its directory, or replace a directory above;
// Error{host_unfit} if it is too large.
std::optional<std::string> read_own_file(const std::filesystem::path& file,
                                         std::uint64_t most = most_own_file);
// Files of such a directory with this suffix, sorted; empty if it is missing.
std::vector<std::filesystem::path> own_files_in(const std::filesystem::path& folder,
                                                const std::string& ending);

}  // namespace topsctl

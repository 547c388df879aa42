// Files that decide whom topsctl believes: nobody but root and we ourselves may write them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace topsctl {

inline constexpr std::uint64_t most_own_file = std::uint64_t{64} << 10U;  // bytes

// The whole text of a small file; nothing if it is not there. Throws Error{permission} if it is no
// plain file, or if others could write it, its folder, or exchange one of those above;
// Error{host_unfit} if it is too large.
std::optional<std::string> read_own_file(const std::filesystem::path& file,
                                         std::uint64_t most = most_own_file);
// Files of such a folder whose names end so, sorted; none if it is not there.
std::vector<std::filesystem::path> own_files_in(const std::filesystem::path& folder,
                                                const std::string& ending);

}  // namespace topsctl

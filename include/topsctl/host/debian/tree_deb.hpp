// Converts a file tree in a tar archive to a Debian package.
#pragma once

#include <filesystem>
#include <string>

namespace topsctl {

struct TreeDeb {
  std::string package;
  std::string version;
  std::string prefix;  // "/opt/vccl": the directory for the tree
  std::string origin;  // the archive's name, for the description
  bool operator==(const TreeDeb&) const = default;
};

// Writes a deb (deb(5)) with the whole archive below the prefix, owned by root, without the
// archive's single top directory; with md5sums. `to` must not exist. Deterministic. Throws
// Error{bad_package} for devices, for names and links that lead out of the tree, and for an archive
// that is damaged or too large.
void write_tree_deb(const std::filesystem::path& archive, const TreeDeb& as,
                    const std::filesystem::path& to);

}  // namespace topsctl

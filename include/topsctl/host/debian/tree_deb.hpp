// A tree of files in a tar archive, made into a package that dpkg takes.
#pragma once

#include <filesystem>
#include <string>

namespace topsctl {

struct TreeDeb {
  std::string package;
  std::string version;
  std::string prefix;  // "/opt/vccl": where the tree is put
  std::string origin;  // the archive's name, for the description
  bool operator==(const TreeDeb&) const = default;
};

// Writes a deb (deb(5)) with all that the archive has, below the prefix and root's, without its one
// folder at the top; files have md5sums. `to` must not exist. The same archive gives the same
// bytes. Throws Error{bad_package} for devices, for names and links that lead out of the tree, and
// for an archive that is damaged or becomes too much.
void write_tree_deb(const std::filesystem::path& archive, const TreeDeb& as,
                    const std::filesystem::path& to);

}  // namespace topsctl

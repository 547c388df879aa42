// Resolves many paths that share few directories.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace topsctl {

// canonical_in_root(root, path, LastLink::keep) for many paths: resolves each directory once. For
// one thread, and only while no directory is moved.
class CanonicalPaths {
 public:
  explicit CanonicalPaths(std::filesystem::path root) : root_(std::move(root)) {}

  // Throws Error{host_unfit} for a loop of links.
  std::string of(std::string_view path);

 private:
  struct Folder {
    std::string path;      // canonical
    bool is_there = true;  // false: it does not exist, so nothing in it can be a link
  };
  const Folder& folder(std::string_view asked);
  Folder resolved(std::string_view asked);

  std::filesystem::path root_;
  std::unordered_map<std::string, Folder> folders_;  // by the requested path
};

}  // namespace topsctl

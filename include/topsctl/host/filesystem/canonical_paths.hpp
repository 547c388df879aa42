// Where many paths lead whose folders are few.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

namespace topsctl {

// canonical_in_root(root, path, LastLink::keep) for many paths: each folder is looked at once. For
// one thread, and while nobody moves folders.
class CanonicalPaths {
 public:
  explicit CanonicalPaths(std::filesystem::path root) : root_(std::move(root)) {}

  // Throws Error{host_unfit} for a loop of links.
  std::string of(std::string_view path);

 private:
  struct Folder {
    std::string path;      // canonical
    bool is_there = true;  // false: nothing lies in it that could be a link
  };
  const Folder& folder(std::string_view asked);
  Folder resolved(std::string_view asked);

  std::filesystem::path root_;
  std::unordered_map<std::string, Folder> folders_;  // by the path as it was asked for
};

}  // namespace topsctl

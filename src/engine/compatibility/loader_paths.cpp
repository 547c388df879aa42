// The directories and paths of the dynamic loader.
#include "topsctl/engine/compatibility/loader_paths.hpp"

#include <array>
#include <utility>

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string_view name_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view folder_part(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string normal_path(std::string_view path) {
  std::vector<std::string> kept;
  for (std::string& part : split(path, '/')) {
    if (part == ".." && !kept.empty()) kept.pop_back();
    if (!part.empty() && part != "." && part != "..") kept.push_back(std::move(part));
  }
  return concat(path.starts_with('/') ? "/" : "", joined(kept, "/"));
}

std::string search_folder(std::string_view entry, std::string_view file) {
  for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"}) {
    if (entry.starts_with(origin)) {
      return normal_path(concat(folder_part(file), entry.substr(origin.size())));
    }
  }
  if (!entry.starts_with('/') || entry.find('$') != std::string::npos) return {};
  return normal_path(entry);
}

std::vector<std::string> default_folders(std::string_view architecture) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> triplets = {
      {{"amd64", "x86_64-linux-gnu"}, {"arm64", "aarch64-linux-gnu"}, {"i386", "i386-linux-gnu"}}};
  std::vector<std::string> folders = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};
  for (const auto& [dpkg, triplet] : triplets) {
    if (dpkg != architecture) continue;
    folders.push_back(concat("/lib/", triplet));
    folders.push_back(concat("/usr/lib/", triplet));
  }
  return folders;
}

}  // namespace topsctl

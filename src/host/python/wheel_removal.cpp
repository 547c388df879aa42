// Removes the files in RECORD, and never anything behind a link out of the scheme.
#include "topsctl/host/python/wheel_removal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <initializer_list>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_below_any(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_below(path, folder); });
}

std::vector<std::string> canonical(const Host& host,
                                   std::initializer_list<const std::string*> folders) {
  std::vector<std::string> result;
  for (const std::string* folder : folders) {
    result.push_back(canonical_in_root(host.root, *folder, LastLink::follow));
  }
  return result;
}

class Removing {
 public:
  Removing(const Host& host, const InstallScheme& scheme, const std::set<std::string>& kept)
      : tree_(host.root),
        kept_(kept),
        all_(canonical(host, {&scheme.purelib, &scheme.platlib, &scheme.scripts, &scheme.data,
                              &scheme.headers})),
        own_(canonical(host, {&scheme.purelib, &scheme.platlib, &scheme.headers})) {}

  bool may_remove(const std::string& path) const { return is_below_any(path, all_); }

  bool remove(const std::string& path) {
    if (kept_.contains(path)) return false;
    const auto entry = tree_.find(path);
    if (!entry || !entry->inode()) return false;
    const int reason = entry->remove_file();
    if (reason == EISDIR) return false;
    if (reason != 0) throw system_error(reason, "remove", path);
    folders_.insert(fs::path(path).parent_path().string());
    return true;
  }

  // Deepest first; removing a directory may leave its parent empty. Directories for commands and
  // data are shared, and stay.
  void remove_empty_folders() {
    while (!folders_.empty()) {
      const auto last = std::prev(folders_.end());
      const std::string folder = *last;
      folders_.erase(last);
      if (!is_below_any(folder, own_)) continue;
      if (std::find(all_.begin(), all_.end(), folder) != all_.end()) continue;
      const auto entry = tree_.find(folder);
      if (entry && entry->inode() && entry->remove() == 0)
        folders_.insert(fs::path(folder).parent_path().string());
    }
  }

 private:
  const FileTree tree_;
  const std::set<std::string>& kept_;
  const std::vector<std::string> all_;  // the scheme's directories
  const std::vector<std::string> own_;  // those of them with a directory per distribution
  std::set<std::string> folders_;
};

}  // namespace

std::vector<std::string> byte_code_of(const std::string& path, const std::string& cache_tag) {
  const fs::path file(path);
  if (file.extension() != ".py" || cache_tag.empty()) return {};
  const std::string base =
      concat((file.parent_path() / "__pycache__" / file.stem()).string(), ".", cache_tag);
  return {concat(base, ".pyc"), concat(base, ".opt-1.pyc"), concat(base, ".opt-2.pyc")};
}

WheelRemoval remove_installed_wheel(const Host& host, const InstalledWheel& wheel,
                                    const InstallScheme& scheme, const std::string& cache_tag,
                                    const std::set<std::string>& kept) {
  WheelRemoval removal;
  Removing removing(host, scheme, kept);
  for (const std::string& recorded : wheel.files) {
    const std::string path = canonical_in_root(host.root, recorded_path(wheel, recorded));
    if (!removing.may_remove(path)) {
      removal.left.push_back(path);
      continue;
    }
    if (removing.remove(path)) ++removal.files;
    for (const std::string& code : byte_code_of(path, cache_tag)) removing.remove(code);
  }
  removing.remove_empty_folders();
  const std::string info =
      canonical_in_root(host.root, concat(wheel.site_directory, "/", wheel.dist_info));
  std::error_code failure;
  fs::remove_all(host.join_canonical(info), failure);
  if (failure) throw system_error(failure.value(), "remove", info);
  return removal;
}

}  // namespace topsctl

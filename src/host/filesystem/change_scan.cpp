// Walks file systems for paths that were changed lately.
#include "topsctl/host/filesystem/change_scan.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::string joined_path(const std::string& folder, const char* name) {
  return concat(folder == "/" ? "" : folder, "/", name);
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

class Walk {
 public:
  Walk(const Host& host, std::int64_t since_ns, const std::vector<std::string>& excluded,
       std::uint64_t most_entries)
      : host_(host),
        since_ns_(since_ns),
        excluded_(excluded.begin(), excluded.end()),
        most_entries_(most_entries) {}

  ChangeScan run(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      struct stat status {};
      if (::stat(host_.join_canonical(folder).c_str(), &status) == 0)
        devices_.insert(status.st_dev);
    }
    // The upper folders one by one, so that what is below them can be shared among threads.
    std::vector<std::string> level = {"/"};
    constexpr int shared_levels = 3;
    for (int depth = 0; depth < shared_levels; ++depth) {
      std::vector<std::string> below;
      for (const std::string& folder : level) look_into(folder, below);
      level = std::move(below);
    }
    for_each_index(level.size(), [&](std::size_t i) {
      std::vector<std::string> open = {level[i]};
      while (!open.empty()) {
        const std::string folder = std::move(open.back());
        open.pop_back();
        look_into(folder, open);
      }
    });
    std::sort(scan_.paths.begin(), scan_.paths.end());
    return std::move(scan_);
  }

 private:
  // Notes the entries of a folder that have changed, and adds its folders to `below`.
  void look_into(const std::string& folder, std::vector<std::string>& below) {
    const int descriptor = ::open(host_.join_canonical(folder).c_str(),
                                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);
    if (descriptor < 0) return;
    const Folder entries(::fdopendir(descriptor));
    if (!entries) return;
    std::vector<std::string> changed;
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (looked_at_.fetch_add(1, std::memory_order_relaxed) >= most_entries_) {
        const std::lock_guard guard(mutex_);
        scan_.is_complete = false;
        return;
      }
      struct stat status {};
      if (::fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const bool is_folder = S_ISDIR(status.st_mode);
      // Files of an overlay may have the numbers of its layers.
      if (is_folder && !devices_.contains(status.st_dev)) continue;
      std::string path = joined_path(folder, entry->d_name);
      if (excluded_.contains(path)) continue;
      if (is_folder) below.push_back(path);
      if (nanoseconds(status.st_ctim) >= since_ns_) changed.push_back(std::move(path));
    }
    if (changed.empty()) return;
    const std::lock_guard guard(mutex_);
    scan_.paths.insert(scan_.paths.end(), changed.begin(), changed.end());
  }

  const Host& host_;
  std::int64_t since_ns_;
  std::set<std::string> excluded_;
  std::uint64_t most_entries_;
  std::set<dev_t> devices_;
  std::atomic<std::uint64_t> looked_at_{0};
  std::mutex mutex_;
  ChangeScan scan_;
};

}  // namespace

std::int64_t change_time_ns(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? nanoseconds(status.st_ctim) : -1;
}

ChangeScan changed_since(const Host& host, const std::vector<std::string>& folders,
                         std::int64_t since_ns, const std::vector<std::string>& excluded,
                         std::uint64_t most_entries) {
  return Walk(host, since_ns, excluded, most_entries).run(folders);
}

}  // namespace topsctl

// Walks file systems: for recently changed paths, and for the content of directories.
#include "topsctl/host/filesystem/change_scan.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_set>

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

Folder open_folder(const Host& host, const std::string& folder) {
  const int descriptor = ::open(host.join_canonical(folder).c_str(),
                                O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NOATIME);
  if (descriptor < 0) return nullptr;
  Folder entries(::fdopendir(descriptor));
  if (!entries) ::close(descriptor);
  return entries;
}

bool is_dot(std::string_view name) {
  return name == "." || name == "..";
}

// The directories and limits of a scan.
class Walk {
 public:
  Walk(const Host& host, const std::vector<std::string>& folders,
       const std::vector<std::string>& excluded, std::uint64_t most_entries)
      : host_(host), excluded_(excluded.begin(), excluded.end()), most_entries_(most_entries) {
    for (const std::string& folder : folders) {
      struct stat status {};
      if (::stat(host_.join_canonical(folder).c_str(), &status) == 0)
        devices_.insert(status.st_dev);
    }
  }

  const Host& host() const { return host_; }
  bool is_excluded(const std::string& path) const { return excluded_.contains(path); }
  bool is_meant(dev_t device) const { return devices_.contains(device); }
  // Whether one more entry may be read.
  bool count() { return looked_at_.fetch_add(1, std::memory_order_relaxed) < most_entries_; }

  // Calls `look` with each directory, on several threads; it adds the subdirectories to `below`.
  void run(const std::function<void(const std::string&, std::vector<std::string>& below)>& look) {
    // Walks the upper directories one by one, to divide those below among threads.
    std::vector<std::string> level = {"/"};
    constexpr int shared_levels = 3;
    for (int depth = 0; depth < shared_levels; ++depth) {
      std::vector<std::string> below;
      for (const std::string& folder : level) look(folder, below);
      level = std::move(below);
    }
    for_each_index(level.size(), [&](std::size_t i) {
      std::vector<std::string> open = {level[i]};
      while (!open.empty()) {
        const std::string folder = std::move(open.back());
        open.pop_back();
        look(folder, open);
      }
    });
  }

 private:
  const Host& host_;
  std::unordered_set<std::string> excluded_;
  std::uint64_t most_entries_;
  std::set<dev_t> devices_;
  std::atomic<std::uint64_t> looked_at_{0};
};

// Records changes.
class ChangeLook {
 public:
  ChangeLook(Walk& walk, std::int64_t since_ns) : walk_(walk), since_ns_(since_ns) {}

  ChangeScan scan() {
    walk_.run([&](const std::string& folder, std::vector<std::string>& below) {
      look_into(folder, below);
    });
    std::sort(scan_.paths.begin(), scan_.paths.end());
    return std::move(scan_);
  }

 private:
  void look_into(const std::string& folder, std::vector<std::string>& below) {
    const Folder entries = open_folder(walk_.host(), folder);
    if (!entries) return;
    std::vector<std::string> changed;
    while (const dirent* entry = ::readdir(entries.get())) {
      if (is_dot(entry->d_name)) continue;
      if (!walk_.count()) {
        const std::lock_guard guard(mutex_);
        scan_.is_complete = false;
        return;
      }
      std::string path = joined_path(folder, entry->d_name);
      if (walk_.is_excluded(path)) continue;
      struct stat status {};
      if (::fstatat(::dirfd(entries.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      const bool is_folder = S_ISDIR(status.st_mode);
      // Files of an overlay may have the numbers of its layers.
      if (is_folder && !walk_.is_meant(status.st_dev)) continue;
      if (is_folder) below.push_back(path);
      if (nanoseconds(status.st_ctim) >= since_ns_) changed.push_back(std::move(path));
    }
    if (changed.empty()) return;
    const std::lock_guard guard(mutex_);
    scan_.paths.insert(scan_.paths.end(), changed.begin(), changed.end());
  }

  Walk& walk_;
  std::int64_t since_ns_;
  std::mutex mutex_;
  ChangeScan scan_;
};

bool is_folder(const Folder& folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(::dirfd(folder.get()), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

// Does not stat each file, which takes most of the time of a scan. `each` returns whether to
// continue.
std::optional<ListedFolder> list(const Folder& folder, const std::string& path,
                                 const std::function<bool(const dirent&)>& each) {
  struct stat status {};
  if (!folder || ::fstat(::dirfd(folder.get()), &status) != 0) return std::nullopt;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (is_dot(entry->d_name)) continue;
    if (!each(*entry)) return std::nullopt;
    names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  ListedFolder listed{path, nanoseconds(status.st_mtim), {}};
  for (const std::string& name : names) listed.names.append(name).push_back('\0');
  return listed;
}

}  // namespace

std::int64_t change_time_ns(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? nanoseconds(status.st_ctim) : -1;
}

ChangeScan changed_since(const Host& host, const std::vector<std::string>& folders,
                         std::int64_t since_ns, const std::vector<std::string>& excluded,
                         std::uint64_t most_entries) {
  Walk walk(host, folders, excluded, most_entries);
  return ChangeLook(walk, since_ns).scan();
}

std::vector<ListedFolder> listed_folders(const Host& host, const std::vector<std::string>& folders,
                                         const std::vector<std::string>& excluded,
                                         std::uint64_t most_entries) {
  Walk walk(host, folders, excluded, most_entries);
  std::mutex mutex;
  std::vector<ListedFolder> found;
  walk.run([&](const std::string& path, std::vector<std::string>& below) {
    const Folder folder = open_folder(host, path);
    struct stat status {};
    if (!folder || ::fstat(::dirfd(folder.get()), &status) != 0 || !walk.is_meant(status.st_dev))
      return;
    auto listed = list(folder, path, [&](const dirent& entry) {
      if (!walk.count()) return false;
      if (!is_folder(folder, entry)) return true;
      std::string inner = joined_path(path, entry.d_name);
      if (!walk.is_excluded(inner)) below.push_back(std::move(inner));
      return true;
    });
    const std::lock_guard guard(mutex);
    if (listed) found.push_back(std::move(*listed));
  });
  std::sort(found.begin(), found.end(),
            [](const ListedFolder& a, const ListedFolder& b) { return a.path < b.path; });
  return found;
}

std::optional<ListedFolder> listed_folder(const Host& host, const std::string& folder) {
  return list(open_folder(host, folder), folder, [](const dirent&) { return true; });
}

}  // namespace topsctl

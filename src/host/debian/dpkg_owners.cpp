// Converts dpkg's file lists, one per package, to the owners of each path.
#include "topsctl/host/debian/dpkg_owners.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_owner_list = std::size_t{256} << 20U;  // for all lists together
constexpr std::size_t most_shared_looked_up = 20'000;
constexpr std::uint32_t no_folder = UINT32_MAX;

struct OwnedPath {
  std::string_view path;
  std::string_view name;      // its end
  std::uint32_t folder = 0;   // index of its directory
  std::uint32_t package = 0;  // number of its name in alphabetical order
};

// The texts of the lists, and the paths in them. Sorts by directory first: comparing 150,000 whole
// paths with mostly common beginnings takes several times as long.
class FileLists {
 public:
  // Adds the list of one package.
  void add(std::string&& list, std::uint32_t package) {
    bytes_ += list.size();
    texts_.push_back(std::move(list));
    std::string_view rest = texts_.back();
    std::string_view last_parent;
    std::uint32_t last_folder = no_folder;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      std::string_view path = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
      if (path.size() < 2 || !is_plain_path(path)) continue;  // "/." is the root
      const std::string_view parent = path.substr(0, path.rfind('/'));
      if (last_folder == no_folder || parent != last_parent) {
        last_folder = folder_number(parent);
        last_parent = parent;
      }
      paths_.push_back({path, path.substr(parent.size() + 1), last_folder, package});
    }
    if (bytes_ > most_owner_list || paths_.size() > 2 * most_owned_paths) {
      throw Error(ErrorCode::host_unfit, "dpkg's file lists are too large",
                  format("at most {} paths can be read", most_owned_paths));
    }
  }

  std::map<std::string, std::vector<std::string>> owners(const std::vector<std::string>& names) {
    std::erase_if(paths_, [&](const OwnedPath& path) { return folders_.contains(path.path); });
    sort();
    std::map<std::string, std::vector<std::string>> owners;
    auto after_last = owners.end();
    for (const OwnedPath& path : paths_) {
      const auto at = owners.try_emplace(after_last, std::string(path.path));
      after_last = std::next(at);
      if (at->second.empty() || at->second.back() != names[path.package])
        at->second.push_back(names[path.package]);
    }
    if (owners.size() > most_owned_paths) {
      throw Error(ErrorCode::host_unfit, "dpkg's file lists are too large",
                  format("at most {} paths can be read", most_owned_paths));
    }
    return owners;
  }

 private:
  std::uint32_t folder_number(std::string_view folder) {
    const auto [at, is_new] =
        folders_.try_emplace(folder, static_cast<std::uint32_t>(folders_.size()));
    const std::uint32_t number = at->second;
    while (is_new && !folder.empty()) {
      folder = folder.substr(0, folder.rfind('/'));
      if (!folders_.try_emplace(folder, static_cast<std::uint32_t>(folders_.size())).second) break;
    }
    return number;
  }

  // By directory, then by name, then by package.
  void sort() {
    std::vector<std::pair<std::string_view, std::uint32_t>> ordered(folders_.begin(),
                                                                    folders_.end());
    std::sort(ordered.begin(), ordered.end());
    std::vector<std::size_t> ends(folders_.size());  // of each directory's paths, by its number
    for (const OwnedPath& path : paths_) ++ends[path.folder];
    std::size_t end = 0;
    for (const auto& [folder, number] : ordered) ends[number] = end += ends[number];
    std::vector<std::size_t> starts = ends;
    std::vector<OwnedPath> sorted(paths_.size());
    for (const OwnedPath& path : paths_) sorted[--starts[path.folder]] = path;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto at = [&](std::size_t place) {
        return sorted.begin() + static_cast<std::ptrdiff_t>(place);
      };
      std::sort(at(starts[i]), at(ends[i]), [](const OwnedPath& a, const OwnedPath& b) {
        const int order = a.name.compare(b.name);
        return order != 0 ? order < 0 : a.package < b.package;
      });
    }
    paths_ = std::move(sorted);
  }

  std::deque<std::string> texts_;  // the views below point into these texts; a deque does not move
                                   // its elements
  std::vector<OwnedPath> paths_;
  std::unordered_map<std::string_view, std::uint32_t> folders_;  // all directories with a path
  std::size_t bytes_ = 0;
};

std::string read_list(int folder, const char* name, std::vector<char>& buffer) {
  const Descriptor input(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!input.is_open()) {
    if (errno == ENOENT) return {};
    throw system_error(errno, "read", concat(dpkg_directory, "/info/", name));
  }
  std::string text;
  for (;;) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(errno, "read", concat(dpkg_directory, "/info/", name));
    text.append(buffer.data(), static_cast<std::size_t>(got));
    // A short read of a regular file is its end.
    if (static_cast<std::size_t>(got) < buffer.size() || text.size() > most_owner_list) return text;
  }
}

// "name.list" and "name:arch.list" of known packages, with the package's number.
std::vector<std::pair<std::string, std::uint32_t>> lists_in(DIR& folder,
                                                            const std::vector<std::string>& names) {
  constexpr std::string_view suffix = ".list";
  std::vector<std::pair<std::string, std::uint32_t>> lists;
  while (const dirent* entry = ::readdir(&folder)) {
    const std::string_view file = static_cast<const char*>(entry->d_name);
    if (!file.ends_with(suffix)) continue;
    const std::string_view stem = file.substr(0, file.size() - suffix.size());
    const std::string_view name = stem.substr(0, stem.find(':'));
    const auto known = std::lower_bound(names.begin(), names.end(), name);
    if (known == names.end() || *known != name) continue;
    lists.emplace_back(file, static_cast<std::uint32_t>(known - names.begin()));
  }
  return lists;
}

// A path with several owners and nothing below it is usually a shared empty directory.
void leave_out_shared_folders(const Host& host,
                              std::map<std::string, std::vector<std::string>>& owners) {
  std::size_t looked_up = 0;
  std::erase_if(owners, [&](const auto& owned) {
    if (owned.second.size() < 2 || ++looked_up > most_shared_looked_up) return false;
    struct stat status {};
    try {
      return ::lstat(host.resolve_parent(owned.first).c_str(), &status) == 0 &&
             S_ISDIR(status.st_mode);
    } catch (const Error&) {
      return false;  // a loop of links is not a directory
    }
  });
}

}  // namespace

std::map<std::string, std::vector<std::string>> read_owners(
    const Host& host, const std::vector<TargetPackage>& packages) {
  std::vector<std::string> names;
  for (const TargetPackage& package : packages) names.push_back(package.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::filesystem::path path = host.resolve(concat(dpkg_directory, "/info"));
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (!folder) {
    if (errno == ENOENT) return {};
    throw system_error(errno, "read", path.string(), ErrorCode::host_unfit);
  }
  FileLists lists;
  std::vector<char> buffer(std::size_t{1} << 20U);
  for (const auto& [file, package] : lists_in(*folder, names))
    lists.add(read_list(::dirfd(folder.get()), file.c_str(), buffer), package);
  auto owners = lists.owners(names);
  leave_out_shared_folders(host, owners);
  return owners;
}

}  // namespace topsctl

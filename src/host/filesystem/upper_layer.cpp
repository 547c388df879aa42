// Reads upper layers by the rules of overlayfs: whiteouts and opaque folders.
#include "topsctl/host/filesystem/upper_layer.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/file_state.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t block_bytes = 512;  // of st_blocks, see stat(2)

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw system_error(errno, "stat", path.string());
}

bool is_whiteout(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == 0;
}

bool is_opaque(const fs::path& folder) {
  std::array<char, 8> value{};
  const ssize_t size =
      ::lgetxattr(folder.c_str(), "trusted.overlay.opaque", value.data(), value.size());
  return size == 1 && value[0] == 'y';
}

bool is_folder(const std::optional<struct stat>& status) {
  return status && S_ISDIR(status->st_mode);
}

// Owner, mode and attributes; not the times, which move with what is in the folder.
bool is_same_folder(const fs::path& upper, const fs::path& lower) {
  const auto state = [](const fs::path& path) {
    FileState found = file_state(path, Content::ignore);
    std::erase_if(found.xattrs,
                  [](const auto& entry) { return entry.first.starts_with("trusted.overlay."); });
    found.mtime_ns = 0;
    return found;
  };
  return state(upper) == state(lower);
}

class Reader {
 public:
  Reader(const fs::path& upper, const fs::path& lower) : upper_(upper), lower_(lower) {}

  std::vector<LayerChange> run() {
    read_folder("", Below::seen);
    std::vector<LayerChange> changes;
    for (auto& [path, change] : changes_) changes.push_back(std::move(change));
    return changes;
  }

 private:
  enum class Below { seen, hidden };  // whether the folder's lower layer shows through

  static fs::path at(const fs::path& layer, const std::string& path) {
    return layer.string() + path;
  }

  // Names in a folder; none if it is not there.
  static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (auto entry = fs::directory_iterator(folder, failure);
         !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
      names.push_back(entry->path().filename().string());
    }
    if (failure && failure != std::errc::no_such_file_or_directory &&
        failure != std::errc::not_a_directory) {
      throw system_error(failure.value(), "read", folder.string());
    }
    return names;
  }

  void read_folder(const std::string& folder, Below below) {
    const std::vector<std::string> names = names_in(at(upper_, folder));
    for (const std::string& name : names) read_entry(concat(folder, "/", name));
    if (below == Below::seen) return;
    const std::set<std::string> remade(names.begin(), names.end());
    for (const std::string& name : names_in(at(lower_, folder))) {
      if (!remade.contains(name)) remove(concat(folder, "/", name));
    }
  }

  void read_entry(const std::string& path) {
    const auto above = status_of(at(upper_, path));
    if (!above) return;
    if (is_whiteout(*above)) {
      remove(path);
      return;
    }
    const auto before = status_of(at(lower_, path));
    if (S_ISDIR(above->st_mode)) {
      const bool hides = is_opaque(at(upper_, path));
      if (!is_folder(before) || hides || !is_same_folder(at(upper_, path), at(lower_, path))) {
        note(path, before, 0);
      }
      read_folder(path, hides || !is_folder(before) ? Below::hidden : Below::seen);
      return;
    }
    note(path, before, counted(*above));
    if (is_folder(before)) remove_below(path);
  }

  void note(const std::string& path, const std::optional<struct stat>& before,
            std::uint64_t bytes) {
    using Kind = LayerChange::Kind;
    changes_[path] = {path, before ? Kind::changed : Kind::made, freed(before), bytes};
  }

  void remove(const std::string& path) {
    const auto before = status_of(at(lower_, path));
    if (!before) return;  // what was there was made in the upper layer, too
    changes_[path] = {path, LayerChange::Kind::removed, freed(before), 0};
    if (S_ISDIR(before->st_mode)) remove_below(path);
  }

  void remove_below(const std::string& folder) {
    for (const std::string& name : names_in(at(lower_, folder))) remove(concat(folder, "/", name));
  }

  // Each file once, however many names it has.
  std::uint64_t counted(const struct stat& status) {
    if (S_ISDIR(status.st_mode) || !files_.insert(status.st_ino).second) return 0;
    return static_cast<std::uint64_t>(status.st_blocks) * block_bytes;
  }

  static std::uint64_t freed(const std::optional<struct stat>& before) {
    if (!before || S_ISDIR(before->st_mode) || before->st_nlink > 1) return 0;
    return static_cast<std::uint64_t>(before->st_blocks) * block_bytes;
  }

  fs::path upper_;
  fs::path lower_;
  std::map<std::string, LayerChange> changes_;
  std::set<ino_t> files_;
};

}  // namespace

std::vector<LayerChange> read_upper_layer(const fs::path& upper, const fs::path& lower) {
  return Reader(upper, lower == "/" ? fs::path() : lower).run();
}

}  // namespace topsctl

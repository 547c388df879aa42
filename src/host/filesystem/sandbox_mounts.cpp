// Chooses what a throw-away view mounts.
#include "topsctl/host/filesystem/sandbox_mounts.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "topsctl/host/filesystem/mounts.hpp"

namespace topsctl {

namespace {

bool is_at_or_below(std::string_view path, std::string_view folder) {
  if (folder == "/" || path == folder) return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_volatile(std::string_view path) {
  constexpr std::array<std::string_view, 4> folders = {"/dev", "/proc", "/run", "/sys"};
  return std::any_of(folders.begin(), folders.end(),
                     [&](std::string_view folder) { return is_at_or_below(path, folder); });
}

}  // namespace

std::string mount_of(const std::map<std::string, MountPoint>& mounts, const std::string& path) {
  std::string nearest = "/";
  for (const auto& [point, mount] : mounts) {
    if (point.size() > nearest.size() && is_at_or_below(path, point)) nearest = point;
  }
  return nearest;
}

std::vector<SandboxMount> view_mounts(const std::map<std::string, MountPoint>& mounts,
                                      const std::vector<std::string>& written,
                                      const std::string& hidden) {
  using Kind = SandboxMount::Kind;
  std::set<std::string> needed = {"/"};
  for (const std::string& path : written) needed.insert(mount_of(mounts, path));
  std::vector<SandboxMount> chosen;
  for (const auto& [path, mount] : mounts) {
    if (is_volatile(path) || is_at_or_below(path, hidden)) continue;
    const bool is_needed = needed.contains(path);
    if (path == "/" || (is_needed && !mount.read_only)) {
      chosen.push_back({path, Kind::overlay, true});
    } else if (mount.read_only || is_on_a_network(mount.type) || mount.type == "squashfs" ||
               mount.type == "iso9660") {
      chosen.push_back({path, Kind::read_only, false});
    } else if (!holds_no_packages(mount.type)) {
      chosen.push_back({path, Kind::overlay, false});
    }
  }
  // As far as the machine has them: where /proc is not mounted, programs have none now either.
  chosen.push_back({"/dev", Kind::devices, false});
  chosen.push_back({"/run", Kind::temporary, false});
  if (mounts.contains("/proc")) chosen.push_back({"/proc", Kind::processes, false});
  if (mounts.contains("/sys")) chosen.push_back({"/sys", Kind::kernel, false});
  std::sort(chosen.begin(), chosen.end(),
            [](const SandboxMount& a, const SandboxMount& b) { return a.path < b.path; });
  return chosen;
}

}  // namespace topsctl

// Matches the packages of two bundles, and compares archives and variables.
#include "topsctl/engine/reporting/bundle_diff.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/reporting/bundle_file_list.hpp"
#include "topsctl/base/python_version.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/place.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

using Key = std::tuple<PackageKind, std::string, std::string>;

// A file without a stated name uses its file name.
Key key_of(const Package& package) {
  std::string name = normalized_name(package.name);
  if (name.empty()) name = package.path.substr(package.path.rfind('/') + 1);
  const std::string minor =
      package.python && package.python->minor ? *package.python->minor : std::string();
  return {package.kind, name, minor};
}

int compare_versions(const Package& a, const Package& b) {
  if (a.kind == PackageKind::wheel) return compare_python_versions(a.version, b.version);
  return compare_debian_versions(a.version, b.version);
}

bool is_same_content(const Package& a, const Package& b) {
  if (!a.sha256.empty() && !b.sha256.empty()) return a.sha256 == b.sha256;
  // Nothing but claims is known.
  return a.version == b.version && a.size == b.size && a.md5sums == b.md5sums &&
         a.record == b.record;
}

PackageEntry entry_of(const Package& package) {
  return {package.kind,
          package.name,
          package.version,
          package.python ? package.python->minor : std::nullopt,
          place_text(package.container, package.path),
          package.size};
}

using Group = std::vector<std::size_t>;  // indices of packages, the newest first

std::map<Key, Group> groups_of(const Inspection& inspection) {
  const std::vector<Package>& packages = inspection.inventory.packages;
  std::map<Key, Group> groups;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    if (packages[i].verdict != Verdict::archived) groups[key_of(packages[i])].push_back(i);
  }
  for (auto& [unused, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
      return compare_versions(packages[a], packages[b]) > 0;
    });
  }
  return groups;
}

const Contents* contents_of(const Inspection& inspection, std::size_t index) {
  const auto found = inspection.contents.find(index);
  return found == inspection.contents.end() ? nullptr : &found->second;
}

class Matching {
 public:
  Matching(const Inspection& before, const Inspection& after, BundleDiff& diff)
      : before_(before), after_(after), diff_(diff) {}

  void match(Group old_group, Group new_group) {
    pair_up(old_group, new_group, is_same_content);
    pair_up(old_group, new_group,
            [](const Package& a, const Package& b) { return a.version == b.version; });
    pair_up(old_group, new_group, [](const Package&, const Package&) { return true; });
    for (const std::size_t index : old_group)
      diff_.removed.push_back(entry_of(before_.inventory.packages[index]));
    for (const std::size_t index : new_group)
      diff_.added.push_back(entry_of(after_.inventory.packages[index]));
  }

 private:
  template <class Fits>
  void pair_up(Group& old_group, Group& new_group, const Fits& fits) {
    std::erase_if(old_group, [&](std::size_t old_index) {
      const Package& old_package = before_.inventory.packages[old_index];
      const auto found = std::find_if(new_group.begin(), new_group.end(), [&](std::size_t index) {
        return fits(old_package, after_.inventory.packages[index]);
      });
      if (found == new_group.end()) return false;
      compare(old_index, *found);
      new_group.erase(found);
      return true;
    });
  }

  void compare(std::size_t old_index, std::size_t new_index) {
    const Package& old_package = before_.inventory.packages[old_index];
    const Package& new_package = after_.inventory.packages[new_index];
    if (is_same_content(old_package, new_package)) {
      ++diff_.same;
      return;
    }
    PackageDiff diff = package_diff(old_package, contents_of(before_, old_index), new_package,
                                    contents_of(after_, new_index));
    diff.before = entry_of(old_package);
    diff.after = entry_of(new_package);
    const int order = compare_versions(old_package, new_package);
    diff.change = order < 0   ? VersionChange::upgrade
                  : order > 0 ? VersionChange::downgrade
                              : VersionChange::rebuild;
    diff_.changed.push_back(std::move(diff));
  }

  const Inspection& before_;
  const Inspection& after_;
  BundleDiff& diff_;
};

std::map<std::string, const ContainerFile*> containers_of(const Inspection& inspection) {
  std::map<std::string, const ContainerFile*> files;
  for (const ContainerFile& file : inspection.containers)
    files.emplace(place_text(file.container, file.path), &file);
  return files;
}

std::set<std::string> package_digests(const Inspection& inspection) {
  std::set<std::string> digests;
  for (const ContainerFile& file : inspection.containers) {
    if (!file.sha256.empty()) digests.insert(file.sha256);
  }
  return digests;
}

void compare_containers(const Inspection& before, const Inspection& after, BundleDiff& diff) {
  const auto old_files = containers_of(before);
  const auto new_files = containers_of(after);
  const std::set<std::string> old_digests = package_digests(before);
  const std::set<std::string> new_digests = package_digests(after);
  for (const auto& [place, file] : old_files) {
    const auto found = new_files.find(place);
    if (found == new_files.end()) {
      if (!new_digests.contains(file->sha256))
        diff.containers.add({place, false, true, file->size, 0});
      continue;
    }
    const ContainerFile& other = *found->second;
    const bool has_digests = !file->sha256.empty() && !other.sha256.empty();
    if (file->size != other.size || (has_digests && file->sha256 != other.sha256))
      diff.containers.add({place, false, false, file->size, other.size});
  }
  for (const auto& [place, file] : new_files) {
    if (!old_files.contains(place) && !old_digests.contains(file->sha256))
      diff.containers.add({place, true, false, 0, file->size});
  }
}

std::map<std::string, std::set<std::string>> values_of(const Inspection& inspection) {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [setting, unused] : all_settings(inspection))
    values[setting.name].insert(setting.value);
  return values;
}

void compare_settings(const Inspection& before, const Inspection& after, BundleDiff& diff) {
  diff.settings_compared = before.depth == Depth::deep && after.depth == Depth::deep;
  if (!diff.settings_compared) return;
  const auto old_values = values_of(before);
  const auto new_values = values_of(after);
  std::set<std::string> names;
  for (const auto& [name, unused] : old_values) names.insert(name);
  for (const auto& [name, unused] : new_values) names.insert(name);
  const auto list = [](const auto& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end()
               ? std::vector<std::string>()
               : std::vector<std::string>(found->second.begin(), found->second.end());
  };
  for (const std::string& name : names) {
    SettingChange change{name, list(old_values, name), list(new_values, name)};
    if (change.before != change.after) diff.settings.add(std::move(change));
  }
}

}  // namespace

bool BundleDiff::is_empty() const {
  return added.empty() && removed.empty() && changed.empty() && containers.count == 0 &&
         settings.count == 0;
}

BundleDiff diff_of(const Inspection& before, const Inspection& after) {
  BundleDiff diff;
  std::map<Key, Group> old_groups = groups_of(before);
  std::map<Key, Group> new_groups = groups_of(after);
  for (const auto& [key, unused] : new_groups) old_groups.try_emplace(key);
  Matching matching(before, after, diff);
  for (auto& [key, group] : old_groups) matching.match(std::move(group), new_groups[key]);
  compare_containers(before, after, diff);
  compare_settings(before, after, diff);
  return diff;
}

}  // namespace topsctl

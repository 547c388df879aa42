// Space that the install needs on each mount point of the target.
#include "engine/compatibility/space.hpp"

#include <algorithm>
#include <map>

#include "engine/compatibility/file_clashes.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// Sizes are declared by the packages, so the sum saturates.
void add_to(std::uint64_t& sum, std::uint64_t more) {
  sum = more > ~std::uint64_t{0} - sum ? ~std::uint64_t{0} : sum + more;
}

struct Load {
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  std::map<std::string, std::uint64_t> by_package;  // bytes by its path
};

bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

class Loads {
 public:
  Loads(const Inspection& inspection, const TargetSnapshot& target, const CompatibilityRules& rules)
      : inspection_(inspection), target_(target), rules_(rules) {
    for (const MountPoint& mount : target.mounts) mounts_.push_back(&mount);
    std::sort(mounts_.begin(), mounts_.end(), [](const MountPoint* a, const MountPoint* b) {
      return a->path.size() != b->path.size() ? a->path.size() > b->path.size() : a->path < b->path;
    });
    is_merged_ = is_usr_merged(target);
  }

  void add_deb(const KnownDeb& deb) {
    const Package& package = *deb.package;
    const bool has_sizes = package.files && !package.files_are_claims;
    std::map<const MountPoint*, std::uint64_t> files;
    if (package.files) {
      for (const PayloadEntry& entry : *package.files) {
        const MountPoint* mount = mount_of(entry.path);
        if (mount == nullptr) continue;
        if (entry.type == PayloadEntry::Type::directory && is_folder_there(entry.path)) continue;
        ++files[mount];
        add(mount, package, has_sizes ? size_of(entry) : 0, inodes_of(entry));
      }
    }
    if (!has_sizes && package.installed_size) add_claimed(package, files);
    add_record(package);
  }

  void add_wheel(const Package& wheel, std::size_t index, const PythonFacts& python) {
    if (python.site_directories.empty()) return;
    const MountPoint* mount = mount_of(python.site_directories.front());
    if (mount == nullptr) return;
    std::uint64_t bytes = 0;
    std::uint64_t inodes = 0;
    if (wheel.files) {
      for (const PayloadEntry& entry : *wheel.files) {
        add_to(bytes, size_of(entry));
        inodes += inodes_of(entry);
        // pip compiles each module once more into __pycache__.
        if (!entry.path.ends_with(".py")) continue;
        add_to(bytes, size_of(entry));
        ++inodes;
      }
    }
    const auto contents = inspection_.contents.find(index);
    if (contents != inspection_.contents.end()) {
      bytes = std::max(bytes, blocks(contents->second.unpacked_size));
    }
    bytes = std::max(bytes, blocks(wheel.installed_size.value_or(wheel.size)));
    add(mount, wheel, bytes, std::max<std::uint64_t>(inodes, 1));
  }

  void add_dpkg_overhead() {
    if (const MountPoint* mount = mount_of(rules_.dpkg_folder)) {
      add_to(loads_[mount].bytes, rules_.dpkg_overhead);
    }
  }

  void add_staging() {
    if (rules_.staged_bytes == 0) return;
    if (const MountPoint* mount = mount_of(rules_.staging_folder)) {
      add_to(loads_[mount].bytes, rules_.staged_bytes);
    }
  }

  std::vector<SpaceNeed> needs(Findings& findings) const {
    std::vector<SpaceNeed> needs;
    for (const auto& [mount, load] : loads_) {
      if (load.bytes == 0 && load.inodes == 0) continue;
      needs.push_back({mount->path, load.bytes, mount->free_bytes, load.inodes, mount->free_inodes,
                       mount->counts_inodes, mount->read_only});
      check(*mount, load, findings);
    }
    std::sort(needs.begin(), needs.end(),
              [](const SpaceNeed& a, const SpaceNeed& b) { return a.mount < b.mount; });
    return needs;
  }

 private:
  std::uint64_t blocks(std::uint64_t bytes) const {
    const std::uint64_t block = std::max<std::uint64_t>(rules_.block_size, 1);
    std::uint64_t whole = bytes / block * block;
    if (bytes % block != 0) add_to(whole, block);
    return whole;
  }

  std::uint64_t size_of(const PayloadEntry& entry) const {
    if (entry.type == PayloadEntry::Type::file) return blocks(entry.size);
    return entry.type == PayloadEntry::Type::directory ? rules_.block_size : 0;
  }

  static std::uint64_t inodes_of(const PayloadEntry& entry) {
    return entry.type == PayloadEntry::Type::hardlink ? 0 : 1;
  }

  const MountPoint* mount_of(std::string_view path) const {
    std::string merged;
    if (is_merged_) {
      for (const std::string_view folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"}) {
        if (is_below(path, folder)) path = merged = concat("/usr", path);
      }
    }
    for (const MountPoint* mount : mounts_) {
      if (is_below(path, mount->path)) return mount;
    }
    return nullptr;
  }

  // Only directories with packaged files are known.
  bool is_folder_there(const std::string& path) const {
    const std::string beginning = path.ends_with('/') ? path : path + "/";
    const auto next = target_.owners.lower_bound(beginning);
    return next != target_.owners.end() && next->first.starts_with(beginning);
  }

  void add(const MountPoint* mount, const Package& package, std::uint64_t bytes,
           std::uint64_t inodes) {
    Load& load = loads_[mount];
    add_to(load.bytes, bytes);
    add_to(load.inodes, inodes);
    add_to(load.by_package[package.path], bytes);
  }

  // Sizes are unknown: counts all on the mount point of most files, or /usr if the files are
  // unknown too.
  void add_claimed(const Package& package,
                   const std::map<const MountPoint*, std::uint64_t>& files) {
    const MountPoint* most = nullptr;
    for (const MountPoint* mount : mounts_) {
      const auto count = files.find(mount);
      if (count != files.end() && (most == nullptr || count->second > files.at(most))) {
        most = mount;
      }
    }
    if (most == nullptr) most = mount_of("/usr");
    if (most != nullptr) add(most, package, blocks(*package.installed_size), 0);
  }

  // The lists and scripts that dpkg stores for a package.
  void add_record(const Package& package) {
    const MountPoint* mount = mount_of(rules_.dpkg_folder);
    if (mount == nullptr) return;
    std::uint64_t list = 0;
    if (package.files) {
      for (const PayloadEntry& entry : *package.files) list += entry.path.size() + 1;
    }
    add(mount, package, blocks(list) + blocks(package.md5sums.size()), 2);
    if (!package.deb) return;
    for (const MaintainerScript& script : package.deb->scripts) {
      add(mount, package, blocks(script.text.size()), 1);
    }
  }

  // The largest parts of a load.
  static std::vector<Evidence> parts(const Load& load) {
    std::vector<std::pair<std::string, std::uint64_t>> sorted(load.by_package.begin(),
                                                              load.by_package.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<Evidence> evidence;
    for (const auto& [path, bytes] : sorted) evidence.push_back({path, 0, human_size(bytes)});
    return shortened(std::move(evidence));
  }

  static void report(std::string_view id, const MountPoint& mount, const Load& load,
                     std::string text, Findings& findings) {
    std::vector<Evidence> evidence = {{mount.path, 0, std::move(text)}};
    for (Evidence& part : parts(load)) evidence.push_back(std::move(part));
    findings.push_back(make_finding(id, mount.path, std::move(evidence)));
  }

  static void check(const MountPoint& mount, const Load& load, Findings& findings) {
    if (mount.read_only) {
      report("mount-read-only", mount, load,
             format("is mounted read-only; {} must be written to it", human_size(load.bytes)),
             findings);
      return;
    }
    if (load.bytes > mount.free_bytes) {
      report("no-space", mount, load,
             format("{} needed, {} free", human_size(load.bytes), human_size(mount.free_bytes)),
             findings);
    }
    if (mount.counts_inodes && load.inodes > mount.free_inodes) {
      report("no-inodes", mount, load,
             format("{} inodes needed, {} free", load.inodes, mount.free_inodes), findings);
    }
  }

  const Inspection& inspection_;
  const TargetSnapshot& target_;
  const CompatibilityRules& rules_;
  std::vector<const MountPoint*> mounts_;  // longest path first
  bool is_merged_ = false;
  std::map<const MountPoint*, Load> loads_;
};

}  // namespace

std::vector<SpaceNeed> space_needs(const Inspection& inspection, const ComparedDebs& debs,
                                   const std::vector<InterpreterCompatibility>& interpreters,
                                   const TargetSnapshot& target, const CompatibilityRules& rules,
                                   Findings& findings) {
  Loads loads(inspection, target, rules);
  for (const KnownDeb* deb : debs.bundle) loads.add_deb(*deb);
  if (!debs.bundle.empty()) loads.add_dpkg_overhead();
  loads.add_staging();
  for (std::size_t i = 0; i < interpreters.size(); ++i) {
    if (!interpreters[i].is_taken) continue;
    for (const DistributionCompatibility& choice : interpreters[i].wheels) {
      if (!choice.wheel) continue;
      loads.add_wheel(inspection.inventory.packages[*choice.wheel], *choice.wheel,
                      target.pythons[i]);
    }
  }
  return loads.needs(findings);
}

}  // namespace topsctl

// Predicts which paths an install writes.
#include "engine/planning/write_set.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/planning/script_paths.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_places.hpp"
#include "topsctl/host/python/wheel_removal.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Adds the paths to which dpkg writes a package's path.
void add_deb_path(const std::string& path, const HostFacts& facts, std::set<std::string>& paths,
                  std::vector<std::string>& unpacked) {
  const auto add = [&](const std::string& place) {
    paths.insert(place);
    unpacked.push_back(place);
  };
  add(path);
  const auto diverted = facts.diversions.find(path);
  if (diverted != facts.diversions.end()) add(diverted->second);
}

// dpkg replaces a package's files as a whole, but people and scripts write into configuration
// files.
void add_replaced(const InstalledDeb& deb, std::set<std::string>& replaced) {
  for (const std::string& path : deb.files) {
    const bool is_configuration =
        path.starts_with("/etc/") ||
        std::find(deb.conffiles.begin(), deb.conffiles.end(), path) != deb.conffiles.end();
    if (!is_configuration) replaced.insert(path);
  }
}

// Files that package scripts often write: users and groups (adduser), debconf's answers, enabled
// units (deb-systemd-helper), byte code (py3compile).
void add_side_effects(const Selection& selection, WriteSet& set) {
  for (const char* name : {"passwd", "group", "shadow", "gshadow", "subuid", "subgid"}) {
    for (const char* suffix : {"", "-", "+"}) set.possible.push_back(concat("/etc/", name, suffix));
  }
  set.possible.emplace_back("/etc/.pwd.lock");
  for (const char* folder : {"/var/cache/debconf", "/var/lib/systemd/deb-systemd-helper-enabled",
                             "/etc/systemd/system", "/etc/systemd/system/multi-user.target.wants",
                             "/etc/ld.so.conf.d", "/etc/modules-load.d"}) {
    set.families.push_back({folder, ""});
  }
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::deb) continue;
    for (const PayloadEntry& entry : *package.files) {
      const fs::path file(entry.path);
      if (file.extension() == ".py") {
        set.families.push_back({(file.parent_path() / "__pycache__").string(), ""});
      }
    }
  }
}

// Scripts remove and move diversions, of any package, by renaming both sides.
void add_diversions(const HostFacts& facts, WriteSet& set, std::set<std::string>& replaced) {
  for (const auto& [from, to] : facts.diversions) {
    for (const std::string& side : {from, to}) {
      set.possible.push_back(side);
      if (!side.starts_with("/etc/")) replaced.insert(side);
    }
  }
}

// Files as packages have them, configuration excepted.
void add_packed(const Package& deb, std::set<std::string>& packed) {
  for (const PayloadEntry& entry : *deb.files) {
    const bool is_file =
        entry.type == PayloadEntry::Type::file || entry.type == PayloadEntry::Type::hardlink;
    const bool is_configuration =
        entry.path.starts_with("/etc/") ||
        (deb.deb && std::find(deb.deb->conffiles.begin(), deb.deb->conffiles.end(), entry.path) !=
                        deb.deb->conffiles.end());
    if (is_file && !is_configuration) packed.insert(entry.path);
  }
}

// A hard link is one file with its target, whose owner and mode dpkg sets: a link would keep
// nothing.
void add_link_targets(const Package& deb, const HostFacts& facts, std::set<std::string>& paths,
                      std::set<std::string>& replaced, std::vector<std::string>& unpacked) {
  for (const PayloadEntry& entry : *deb.files) {
    if (entry.type != PayloadEntry::Type::hardlink) continue;
    const std::string target = fs::path(entry.link_target).lexically_normal().string();
    add_deb_path(target, facts, paths, unpacked);
    replaced.erase(target);
  }
}

// Scripts may write into the paths that they mention, in place: a link would not preserve the
// content.
void add_mentioned(std::string_view script, std::set<std::string>& paths,
                   std::set<std::string>& replaced, std::set<std::string>& packed) {
  for (const std::string& path : mentioned_paths(script)) {
    paths.insert(path);
    replaced.erase(path);
    packed.erase(path);
  }
}

std::vector<std::string> changed_debs(const Selection& selection, const HostFacts& facts) {
  std::set<std::string> names;
  for (const Package& package : selection.packages) {
    if (package.kind == PackageKind::deb) names.insert(package.name);
  }
  for (const auto& [name, deb] : facts.debs) names.insert(name);
  return {names.begin(), names.end()};
}

void add_debs(const Selection& selection, const HostFacts& facts, WriteSet& set,
              std::set<std::string>& paths, std::set<std::string>& replaced) {
  std::set<std::string> packed;
  bool any = false;
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::deb) continue;
    any = true;
    for (const PayloadEntry& entry : *package.files)
      add_deb_path(entry.path, facts, paths, set.unpacked);
    add_packed(package, packed);
  }
  if (!any) return;
  set.debs = changed_debs(selection, facts);
  add_side_effects(selection, set);
  // Besides the previous versions, packages that dpkg removes for them: the facts have their files.
  for (const auto& [name, deb] : facts.debs) {
    for (const std::string& path : deb.files) {
      if (path != "/.") add_deb_path(path, facts, paths, set.unpacked);
    }
    add_replaced(deb, replaced);
  }
  add_diversions(facts, set, replaced);
  for (const Package& package : selection.packages) {
    if (package.kind == PackageKind::deb)
      add_link_targets(package, facts, paths, replaced, set.unpacked);
    if (!package.deb) continue;
    for (const MaintainerScript& script : package.deb->scripts)
      add_mentioned(script.text, paths, replaced, packed);
  }
  for (const auto& [name, deb] : facts.debs) add_mentioned(deb.scripts, paths, replaced, packed);
  set.packed.assign(packed.begin(), packed.end());
  for (const std::string& link : facts.alternative_links) {
    for (const char* suffix : {"", ".dpkg-tmp"}) set.possible.push_back(concat(link, suffix));
  }
  for (const char* folder : {"/var/lib/dpkg", "/var/lib/dpkg/updates", "/var/lib/dpkg/triggers",
                             "/var/lib/dpkg/alternatives", "/etc/alternatives"}) {
    set.families.push_back({folder, ""});
  }
  // Thousands of files. The few others are copied: dpkg keeps the old status by its own link.
  set.families.push_back({"/var/lib/dpkg/info", "", Writing::replaced});
  set.families.push_back({"/var/lib/dpkg", "tmp.ci"});
  set.families.push_back({"/var/lib/dpkg", "reassemble.deb"});
}

void add_loader_cache(std::set<std::string>& paths) {
  for (const char* path : {"/etc/ld.so.cache", "/etc/ld.so.cache~", "/var/cache/ldconfig/aux-cache",
                           "/var/cache/ldconfig/aux-cache~"}) {
    paths.insert(path);
  }
}

// A Python file and the byte code that importing it writes.
void add_python_path(const std::string& path, const std::string& cache_tag,
                     std::set<std::string>& paths) {
  paths.insert(path);
  for (std::string& code : byte_code_of(path, cache_tag)) paths.insert(std::move(code));
}

// Data and headers, whose paths are those in the archive.
bool add_elsewhere(const PayloadEntry& entry, const Package& package, const PythonFacts& python,
                   std::set<std::string>& paths) {
  const WheelDestination::Kind kind = wheel_destination(entry.path).kind;
  if (kind != WheelDestination::Kind::data && kind != WheelDestination::Kind::headers) return false;
  if (!python.scheme.data.empty()) {
    add_python_path(place_of(entry.path, package, python.scheme).path(), python.cache_tag, paths);
  }
  return true;
}

void add_wheel(const Package& package, const PythonFacts& python, WriteSet& set,
               std::set<std::string>& paths, std::set<std::string>& replaced) {
  for (const std::string& site : python.site_directories) {
    for (const PayloadEntry& entry : *package.files) {
      if (add_elsewhere(entry, package, python, paths)) continue;
      add_python_path(concat(site, "/", entry.path), python.cache_tag, paths);
    }
    set.families.push_back({site, "~"});  // pip moves what it replaces aside under such names
    for (std::string name : {normalized_name(package.name), package.name}) {
      std::replace(name.begin(), name.end(), '-', '_');
      set.families.push_back({site, concat(name, "-")});
    }
    if (package.wheel) set.families.push_back({site, package.wheel->dist_info});
  }
  for (const std::string& folder : python.script_directories) {
    for (const std::string& script : package.scripts) paths.insert(concat(folder, "/", script));
  }
  for (const InstalledWheel& installed : python.wheels) {
    if (normalized_name(installed.name) != normalized_name(package.name)) continue;
    set.families.push_back({installed.site_directory, installed.dist_info});
    for (const std::string& recorded : installed.files) {
      add_python_path(recorded_path(installed, recorded), python.cache_tag, paths);
      replaced.insert(recorded_path(installed, recorded));
    }
  }
}

}  // namespace

WriteSet predicted_write_set(const Plan& plan, const Selection& selection, const HostFacts& facts) {
  WriteSet set;
  std::set<std::string> paths;
  std::set<std::string> replaced;
  add_debs(selection, facts, set, paths, replaced);
  add_loader_cache(paths);
  for (const Package& package : selection.packages) {
    if (package.kind == PackageKind::wheel)
      add_wheel(package, *selection.python, set, paths, replaced);
  }
  if (plan.environment) {
    paths.insert(plan.environment->file);
    // Temporary files of a killed write.
    set.families.push_back({fs::path(plan.environment->file).parent_path().string(), ".topsctl-"});
  }
  // Paths that were named before are not merely possible.
  std::erase_if(set.possible, [&](const std::string& path) { return paths.contains(path); });
  std::sort(set.possible.begin(), set.possible.end());
  paths.insert(set.possible.begin(), set.possible.end());
  set.paths.assign(paths.begin(), paths.end());
  set.replaced.assign(replaced.begin(), replaced.end());
  std::sort(set.unpacked.begin(), set.unpacked.end());
  set.unpacked.erase(std::unique(set.unpacked.begin(), set.unpacked.end()), set.unpacked.end());
  const auto order = [](const PathFamily& a, const PathFamily& b) {
    return std::tie(a.directory, a.prefix) < std::tie(b.directory, b.prefix);
  };
  std::sort(set.families.begin(), set.families.end(), order);
  set.families.erase(std::unique(set.families.begin(), set.families.end()), set.families.end());
  return set;
}

}  // namespace topsctl

// Host snapshots as JSON.
#include "topsctl/model/target_snapshot.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr const char* hexadecimal = "0123456789abcdef";

// JSON contains only UTF-8, file names any bytes except NUL. Bytes of a name that is not UTF-8 are
// therefore written as NUL and two hexadecimal digits, which no name can contain.
std::string path_text(std::string_view path) {
  if (is_utf8(path)) return std::string(path);
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text.push_back(c);
    } else {
      text.push_back('\0');
      text.push_back(hexadecimal[byte >> 4U]);
      text.push_back(hexadecimal[byte & 0xFU]);
    }
  }
  return text;
}

Json path_list(const std::vector<std::string>& paths) {
  Json list = Json::array();
  for (const std::string& path : paths) list.push_back(path_text(path));
  return list;
}

// Absent means empty.
void put_snapshot_field(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json package_json(const TargetPackage& package) {
  Json object = {{"name", package.name}};
  put_snapshot_field(object, "version", package.version);
  put_snapshot_field(object, "architecture", package.architecture);
  if (package.status != DpkgStatus()) object["status"] = to_text(package.status);
  put_snapshot_field(object, "multi_arch", package.multi_arch);
  if (package.essential) object["essential"] = true;
  put_snapshot_field(object, "depends", package.depends);
  put_snapshot_field(object, "provides", package.provides);
  put_snapshot_field(object, "breaks", package.breaks);
  put_snapshot_field(object, "conflicts", package.conflicts);
  put_snapshot_field(object, "replaces", package.replaces);
  if (!package.conffiles.empty()) object["conffiles"] = path_list(package.conffiles);
  if (!package.obsolete_conffiles.empty())
    object["obsolete_conffiles"] = path_list(package.obsolete_conffiles);
  return object;
}

using NamesByPackage = std::map<std::string_view, std::vector<std::string_view>>;

// [directory, package, name...]: a third of the size of whole paths.
Json owners_json(const std::map<std::string, std::vector<std::string>>& owners) {
  std::map<std::string_view, NamesByPackage> folders;
  auto last = folders.end();
  for (const auto& [path, packages] : owners) {
    const std::size_t slash = std::min(path.rfind('/'), path.size());
    const std::string_view folder =
        slash == 0 ? std::string_view("/") : std::string_view(path).substr(0, slash);
    const std::string_view name = std::string_view(path).substr(std::min(slash + 1, path.size()));
    if (last == folders.end() || last->first != folder) last = folders.try_emplace(folder).first;
    for (const std::string& package : packages) last->second[package].push_back(name);
  }
  Json list = Json::array();
  for (const auto& [folder, by_package] : folders) {
    for (const auto& [package, names] : by_package) {
      Json group = Json::array({path_text(folder), std::string(package)});
      for (const std::string_view name : names) group.push_back(path_text(name));
      list.push_back(std::move(group));
    }
  }
  return list;
}

Json python_json(const PythonFacts& python) {
  Json object = {{"executable", path_text(python.executable)},
                 {"version", python.version},
                 {"minor", python.minor}};
  put_snapshot_field(object, "cache_tag", python.cache_tag);
  put_snapshot_field(object, "pip_version", python.pip_version);
  object["site_directories"] = path_list(python.site_directories);
  object["script_directories"] = path_list(python.script_directories);
  object["externally_managed"] = python.externally_managed;
  object["in_virtual_environment"] = python.in_virtual_environment;
  Json wheels = Json::array();
  for (const InstalledWheel& wheel : python.wheels) {
    Json item = {{"name", wheel.name}};
    put_snapshot_field(item, "version", wheel.version);
    wheels.push_back(std::move(item));
  }
  object["wheels"] = std::move(wheels);
  object["egg_infos"] = python.egg_infos;
  return object;
}

Json mount_json(const MountPoint& mount) {
  constexpr std::uint64_t most = INT64_MAX;
  Json object = {{"path", path_text(mount.path)},
                 {"type", mount.type},
                 {"read_only", mount.read_only},
                 {"free_bytes", std::min(mount.free_bytes, most)}};
  if (mount.counts_inodes) object["free_inodes"] = std::min(mount.free_inodes, most);
  return object;
}

}  // namespace

Json to_json(const TargetSnapshot& snapshot) {
  Json document = {{"schema", 1}, {"kind", "target-snapshot"}, {"taken_at", snapshot.taken_at}};
  put_snapshot_field(document, "host_name", snapshot.host_name);
  put_snapshot_field(document, "os", snapshot.os);
  put_snapshot_field(document, "architecture", snapshot.architecture);
  put_snapshot_field(document, "kernel", snapshot.kernel);
  put_snapshot_field(document, "glibc", snapshot.glibc);
  put_snapshot_field(document, "glibcxx", snapshot.glibcxx);
  put_snapshot_field(document, "cxxabi", snapshot.cxxabi);
  put_snapshot_field(document, "dpkg_version", snapshot.dpkg_version);
  document["dpkg_compressions"] = snapshot.dpkg_compressions;
  for (const char* key : {"packages", "owners", "diversions", "libraries", "pythons", "mounts"})
    document[key] = Json::array();
  for (const TargetPackage& package : snapshot.packages)
    document["packages"].push_back(package_json(package));
  document["owners"] = owners_json(snapshot.owners);
  for (const Diversion& diversion : snapshot.diversions) {
    document["diversions"].push_back({{"from", path_text(diversion.from)},
                                      {"to", path_text(diversion.to)},
                                      {"package", diversion.package}});
  }
  for (const CachedLibrary& library : snapshot.libraries) {
    document["libraries"].push_back(
        {{"soname", path_text(library.soname)}, {"path", path_text(library.path)}});
  }
  for (const PythonFacts& python : snapshot.pythons)
    document["pythons"].push_back(python_json(python));
  if (!snapshot.are_pythons_known) document["pythons_known"] = false;
  for (const MountPoint& mount : snapshot.mounts) document["mounts"].push_back(mount_json(mount));
  return document;
}

std::string to_text(const TargetSnapshot& snapshot) {
  const Json document = to_json(snapshot);
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : document.items()) {
    text += concat(separator, to_line(key), ": ");
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      text += to_line(value);
      continue;
    }
    const char* before = "[\n  ";
    for (const Json& item : value) {
      text += before;
      text += to_line(item);
      before = ",\n  ";
    }
    text += "\n]";
  }
  return text + "\n}\n";
}

bool is_plain_path(std::string_view path) {
  if (path == "/") return true;
  if (!path.starts_with('/') || path.find('\n') != std::string_view::npos) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(part.size());
  }
  return true;
}

}  // namespace topsctl

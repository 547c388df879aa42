// Lock files: writing, strict reading, and comparing with a bundle.
#include "topsctl/model/lock.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr std::string_view document_kind = "topsctl-lock";

template <class Placed>
auto place_of(const Placed& package) {
  return std::tie(package.container, package.path);
}

template <class Placed>
void sort_by_place(std::vector<Placed>& list) {
  std::sort(list.begin(), list.end(),
            [](const Placed& a, const Placed& b) { return place_of(a) < place_of(b); });
}

Json to_json(const LockedPackage& package) {
  return {{"path", package.path},
          {"container", package.container},
          {"kind", name(package.kind)},
          {"name", text_or_null(package.name)},
          {"version", text_or_null(package.version)},
          {"architecture", text_or_null(package.architecture)},
          {"size", package.size},
          {"sha256", package.sha256}};
}

std::string relative_path(const JsonReader& reader) {
  std::string path = reader.text();
  const std::vector<std::string> parts = split(path, '/');
  const bool climbs = std::find(parts.begin(), parts.end(), "..") != parts.end();
  if (path.front() == '/' || climbs || path.find('\0') != std::string::npos) {
    reader.reject(format("expected a relative path without '..', got {}", in_quotes(path)));
  }
  return path;
}

std::string text_if_any(const JsonReader& object, const Json& value, const std::string& key) {
  const JsonReader reader = object.at(key);
  return value.at(key).is_null() ? std::string() : reader.text();
}

std::string digest(const JsonReader& reader) {
  std::string text = reader.text();
  const bool is_digest =
      text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_digest) reader.reject("expected a sha256 of 64 lower-case hexadecimal digits");
  return text;
}

PackageKind kind_of(const JsonReader& reader) {
  const std::string text = reader.text_of({"deb", "wheel", "runfile"});
  if (text == "deb") return PackageKind::deb;
  return text == "wheel" ? PackageKind::wheel : PackageKind::runfile;
}

LockedPackage parse_locked_package(const JsonReader& reader, const Json& value) {
  reader.expect_keys(
      {"path", "container", "kind", "name", "version", "architecture", "size", "sha256"});
  LockedPackage package;
  package.path = relative_path(reader.at("path"));
  for (const JsonReader& item : reader.at("container").items())
    package.container.push_back(relative_path(item));
  package.kind = kind_of(reader.at("kind"));
  package.name = text_if_any(reader, value, "name");
  package.version = text_if_any(reader, value, "version");
  package.architecture = text_if_any(reader, value, "architecture");
  package.size = static_cast<std::uint64_t>(
      reader.at("size").integer(0, std::numeric_limits<std::int64_t>::max()));
  package.sha256 = digest(reader.at("sha256"));
  return package;
}

Lock parse_lock_document(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader reader(document, source);
  reader.expect_keys({"schema", "kind", "topsctl_version", "created_at", "packages"});
  static_cast<void>(reader.at("kind").text_of({std::string(document_kind)}));
  static_cast<void>(reader.at("schema").integer(1, 1));
  Lock lock;
  lock.topsctl_version = reader.at("topsctl_version").text();
  lock.created_at = reader.at("created_at").text();
  const std::vector<JsonReader> items = reader.at("packages").items();
  std::set<std::pair<std::vector<std::string>, std::string>> places;
  for (std::size_t i = 0; i < items.size(); ++i) {
    lock.packages.push_back(parse_locked_package(items[i], document["packages"][i]));
    const LockedPackage& package = lock.packages.back();
    if (!places.emplace(package.container, package.path).second)
      items[i].reject(format("{} is listed twice", in_quotes(package.path)));
  }
  sort_by_place(lock.packages);
  return lock;
}

bool is_same_content(const LockedPackage& locked, const Package& package) {
  return locked.size == package.size && locked.sha256 == package.sha256;
}

LockDifference difference(const LockedPackage* locked, const Package* package) {
  LockDifference difference;
  difference.kind = locked == nullptr    ? LockDifference::Kind::added
                    : package == nullptr ? LockDifference::Kind::missing
                                         : LockDifference::Kind::changed;
  if (locked != nullptr) {
    std::tie(difference.container, difference.path) = place_of(*locked);
    difference.locked_size = locked->size;
    difference.locked_sha256 = locked->sha256;
  }
  if (package != nullptr) {
    std::tie(difference.container, difference.path) = place_of(*package);
    difference.found_size = package->size;
    difference.found_sha256 = package->sha256;
  }
  return difference;
}

}  // namespace

std::string_view name(LockDifference::Kind kind) {
  switch (kind) {
    case LockDifference::Kind::missing:
      return "missing";
    case LockDifference::Kind::changed:
      return "changed";
    case LockDifference::Kind::added:
      return "added";
  }
  return "changed";
}

Lock lock_of(const Inventory& inventory, const std::string& created_at) {
  Lock lock{std::string(topsctl_version()), created_at, {}};
  for (const Package& package : inventory.packages) {
    if (package.sha256.empty()) {
      throw Error(ErrorCode::bad_package,
                  format("cannot lock {}: its digest was not computed", in_quotes(package.path)),
                  "omit --fast: a lock needs the digest of every package");
    }
    lock.packages.push_back({package.path, package.container, package.kind, package.name,
                             package.version, package.architecture, package.size, package.sha256});
  }
  sort_by_place(lock.packages);
  return lock;
}

Json to_json(const Lock& lock) {
  Json packages = Json::array();
  for (const LockedPackage& package : lock.packages) packages.push_back(to_json(package));
  return {{"schema", 1},
          {"kind", document_kind},
          {"topsctl_version", lock.topsctl_version},
          {"created_at", lock.created_at},
          {"packages", std::move(packages)}};
}

Lock parse_lock(std::string_view json, const std::string& source) {
  try {
    return parse_lock_document(json, source);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_package, error.message(),
                "write a new lock with `topsctl lock BUNDLE --output FILE`", error.context());
  }
}

Json to_json(const LockDifference& difference) {
  const bool is_locked = difference.kind != LockDifference::Kind::added;
  const bool is_found = difference.kind != LockDifference::Kind::missing;
  return {{"kind", name(difference.kind)},
          {"path", difference.path},
          {"container", difference.container},
          {"locked_size", is_locked ? Json(difference.locked_size) : Json(nullptr)},
          {"locked_sha256", text_or_null(difference.locked_sha256)},
          {"found_size", is_found ? Json(difference.found_size) : Json(nullptr)},
          {"found_sha256", text_or_null(difference.found_sha256)}};
}

std::optional<LockDifference> difference_from(const Lock& lock, const Package& package) {
  const LockedPackage* at_its_place = nullptr;
  for (const LockedPackage& locked : lock.packages) {
    if (is_same_content(locked, package)) return std::nullopt;
    if (place_of(locked) == place_of(package)) at_its_place = &locked;
  }
  return difference(at_its_place, &package);
}

std::vector<LockDifference> lock_differences(const Lock& lock, const Inventory& inventory) {
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> locked_contents;
  std::map<std::pair<std::vector<std::string>, std::string>, const LockedPackage*> locked_places;
  for (const LockedPackage& locked : lock.packages) {
    locked_contents.emplace(std::pair(locked.sha256, locked.size), 0);
    locked_places.emplace(std::pair(locked.container, locked.path), &locked);
  }
  std::vector<LockDifference> differences;
  std::set<const LockedPackage*> seen;
  for (const Package& package : inventory.packages) {
    const auto place = locked_places.find({package.container, package.path});
    const LockedPackage* locked = place == locked_places.end() ? nullptr : place->second;
    const auto content = locked_contents.find({package.sha256, package.size});
    if (content != locked_contents.end()) {
      ++content->second;
      continue;
    }
    if (locked != nullptr) seen.insert(locked);
    differences.push_back(difference(locked, &package));
  }
  for (const LockedPackage& locked : lock.packages) {
    const bool is_found = locked_contents.at({locked.sha256, locked.size}) > 0;
    if (!is_found && !seen.contains(&locked)) differences.push_back(difference(&locked, nullptr));
  }
  sort_by_place(differences);
  return differences;
}

}  // namespace topsctl

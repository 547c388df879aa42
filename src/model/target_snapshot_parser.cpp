// Strict and bounded reading of snapshots: the owned paths go straight to their place, the rest by
// way of a small document.
#include "topsctl/model/target_snapshot_parser.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

// For the document without the owned paths. A snapshot of a large host has about 50,000 values;
// objects have few keys, which keeps the search in them short.
constexpr std::size_t most_values = 500'000;
constexpr std::size_t most_keys = 64;
constexpr std::size_t deepest_nesting = 8;

constexpr const char* hint =
    "take a new snapshot with `topsctl snapshot`; docs/target-snapshot.schema.json describes it";

int hexadecimal_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// The reverse of path_text(); nothing for invalid text.
std::optional<std::string> path_bytes(std::string&& text) {
  if (text.find('\n') != std::string::npos) return std::nullopt;
  if (text.find('\0') == std::string::npos) return std::move(text);
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\0') {
      bytes.push_back(text[at]);
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const int high = hexadecimal_value(text[at + 1]);
    const int low = hexadecimal_value(text[at + 2]);
    if (high < 8 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
    at += 2;
  }
  return bytes;
}

bool is_known_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

// Collects [directory, package, name...] groups.
class OwnersBuilder {
 public:
  void begin() {
    part_ = 0;
    ++groups_;
  }

  // The error in the text; nullptr: none.
  const char* take(std::string& text) {
    ++part_;
    if (part_ == 2) {
      if (text.empty() || printable(text) != text) return "expected a package name";
      package_ = std::move(text);
      return nullptr;
    }
    auto path = path_bytes(std::move(text));
    if (part_ == 1) {
      if (!path || !is_plain_path(*path)) return "expected the absolute path of a directory";
      folder_ = *path == "/" ? *path : concat(*path, "/");
      return nullptr;
    }
    if (!path || !is_known_name(*path)) return "expected a file name";
    if (++names_ > most_owned_paths) return "too many paths";
    add(*path);
    return nullptr;
  }

  bool is_whole() const { return part_ > 2; }
  std::size_t groups() const { return groups_; }
  std::map<std::string, std::vector<std::string>> owners;

 private:
  void add(const std::string& name) {
    std::string path;
    path.reserve(folder_.size() + name.size());
    path.append(folder_).append(name);
    // Groups are nearly in the order of the map: the place after the last one is mostly right.
    const auto at = owners.try_emplace(after_last_, std::move(path));
    after_last_ = std::next(at);
    std::vector<std::string>& packages = at->second;
    const auto place = std::lower_bound(packages.begin(), packages.end(), package_);
    if (place == packages.end() || *place != package_) packages.insert(place, package_);
  }

  std::map<std::string, std::vector<std::string>>::iterator after_last_ = owners.end();
  std::size_t part_ = 0;
  std::size_t groups_ = 0;
  std::size_t names_ = 0;
  std::string folder_;  // with its last '/'
  std::string package_;
};

class SnapshotEvents : public nlohmann::json_sax<Json> {
 public:
  SnapshotEvents(std::string_view text, std::string source)
      : text_(text), source_(std::move(source)) {}

  Json document;  // without "owners"
  OwnersBuilder owners;

  bool null() override { return value(Json(nullptr)); }
  bool boolean(bool truth) override { return value(Json(truth)); }
  bool number_integer(number_integer_t number) override { return value(Json(number)); }
  bool number_unsigned(number_unsigned_t number) override { return value(Json(number)); }
  bool number_float(number_float_t number, const string_t&) override { return value(Json(number)); }
  bool binary(binary_t&) override { return false; }

  bool string(string_t& text) override {
    if (in_owners_ == 2) {
      if (const char* complaint = owners.take(text)) reject_owners(complaint);
      return true;
    }
    return value(Json(std::move(text)));
  }

  bool key(string_t& text) override {
    Json& object = *open_.back();
    if (object.size() >= most_keys) reject(format("an object has more than {} keys", most_keys));
    if (object.contains(text)) reject(format("duplicate key {}", in_quotes(text)));
    key_ = std::move(text);
    object[key_] = nullptr;
    owners_expected_ = open_.size() == 1 && key_ == "owners";
    return true;
  }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override {
    if (owners_expected_ || in_owners_ == 1) {
      owners_expected_ = false;
      if (++in_owners_ == 2) owners.begin();
      return true;
    }
    return open(Json::array());
  }
  bool end_object() override {
    open_.pop_back();
    return true;
  }
  bool end_array() override {
    if (in_owners_ > 0) {
      if (in_owners_ == 2 && !owners.is_whole())
        reject_owners("expected a directory, a package and names");
      --in_owners_;
      return true;
    }
    open_.pop_back();
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    const std::string_view before =
        text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;
    reject(format("invalid JSON at line {}, column {}", line, column));
  }

 private:
  [[noreturn]] void reject(const std::string& complaint) const {
    throw Error(ErrorCode::bad_package, format("cannot read {}: {}", source_, complaint), hint);
  }
  [[noreturn]] void reject_owners(const std::string& complaint) const {
    const std::size_t groups = owners.groups();
    reject(
        format("/owners{}: {}", groups == 0 ? std::string() : concat("/", groups - 1), complaint));
  }

  Json* place(Json&& value) {
    if (in_owners_ > 0 || owners_expected_) reject_owners("expected lists of strings");
    if (++values_ > most_values) reject("too many values");
    if (open_.empty()) {
      document = std::move(value);
      return &document;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  bool value(Json&& value) {
    place(std::move(value));
    return true;
  }
  bool open(Json&& value) {
    if (open_.size() >= deepest_nesting)
      reject(format("nested deeper than {} levels", deepest_nesting));
    open_.push_back(place(std::move(value)));
    return true;
  }

  std::string_view text_;
  std::string source_;
  // The containers that are still open: each is the last value of the previous one, so none is
  // moved.
  std::vector<Json*> open_;
  std::string key_;
  bool owners_expected_ = false;
  int in_owners_ = 0;  // 1: in the list, 2: in a group
  std::size_t values_ = 0;
};

std::string snapshot_line(const JsonReader& reader) {
  std::string text = reader.text();
  if (printable(text) != text)
    reader.reject("expected one line of text without control characters");
  return text;
}

std::string optional_snapshot_line(const JsonReader& reader, const std::string& key) {
  const auto found = reader.find(key);
  return found ? snapshot_line(*found) : std::string();
}

std::vector<std::string> lines(const JsonReader& reader) {
  std::vector<std::string> texts;
  for (const JsonReader& item : reader.items()) texts.push_back(snapshot_line(item));
  return texts;
}

std::string file_text(const JsonReader& reader) {
  auto path = path_bytes(reader.text());
  if (!path) reader.reject("expected a path");
  return *path;
}

std::string snapshot_path(const JsonReader& reader) {
  std::string path = file_text(reader);
  if (!is_plain_path(path))
    reader.reject("expected an absolute path without '.', '..' or empty parts");
  return path;
}

std::vector<std::string> file_texts(const JsonReader& reader) {
  std::vector<std::string> paths;
  for (const JsonReader& item : reader.items()) paths.push_back(file_text(item));
  return paths;
}

DpkgStatus dpkg_status(const JsonReader& reader) {
  const auto status = parse_dpkg_status(reader.text());
  if (!status) reader.reject("expected a dpkg status such as \"install ok installed\"");
  return *status;
}

TargetPackage parse_snapshot_package(const JsonReader& reader) {
  reader.expect_keys({"name", "version", "architecture", "status", "multi_arch", "essential",
                      "depends", "provides", "breaks", "conflicts", "replaces", "conffiles",
                      "obsolete_conffiles"});
  TargetPackage package;
  package.name = snapshot_line(reader.at("name"));
  package.version = optional_snapshot_line(reader, "version");
  package.architecture = optional_snapshot_line(reader, "architecture");
  if (const auto status = reader.find("status")) package.status = dpkg_status(*status);
  package.multi_arch = optional_snapshot_line(reader, "multi_arch");
  if (const auto essential = reader.find("essential")) package.essential = essential->boolean();
  package.depends = optional_snapshot_line(reader, "depends");
  package.provides = optional_snapshot_line(reader, "provides");
  package.breaks = optional_snapshot_line(reader, "breaks");
  package.conflicts = optional_snapshot_line(reader, "conflicts");
  package.replaces = optional_snapshot_line(reader, "replaces");
  if (const auto conffiles = reader.find("conffiles")) package.conffiles = file_texts(*conffiles);
  if (const auto conffiles = reader.find("obsolete_conffiles"))
    package.obsolete_conffiles = file_texts(*conffiles);
  return package;
}

PythonFacts parse_interpreter(const JsonReader& reader) {
  reader.expect_keys({"executable", "version", "minor", "cache_tag", "pip_version",
                      "site_directories", "script_directories", "externally_managed",
                      "in_virtual_environment", "wheels", "egg_infos"});
  PythonFacts python;
  python.executable = file_text(reader.at("executable"));
  python.version = snapshot_line(reader.at("version"));
  python.minor = snapshot_line(reader.at("minor"));
  python.cache_tag = optional_snapshot_line(reader, "cache_tag");
  python.pip_version = optional_snapshot_line(reader, "pip_version");
  python.site_directories = file_texts(reader.at("site_directories"));
  python.script_directories = file_texts(reader.at("script_directories"));
  python.externally_managed = reader.at("externally_managed").boolean();
  python.in_virtual_environment = reader.at("in_virtual_environment").boolean();
  for (const JsonReader& item : reader.at("wheels").items()) {
    item.expect_keys({"name", "version"});
    InstalledWheel wheel;
    wheel.name = snapshot_line(item.at("name"));
    wheel.version = optional_snapshot_line(item, "version");
    python.wheels.push_back(std::move(wheel));
  }
  python.egg_infos = lines(reader.at("egg_infos"));
  return python;
}

MountPoint parse_mount(const JsonReader& reader) {
  reader.expect_keys({"path", "type", "read_only", "free_bytes", "free_inodes"});
  MountPoint mount;
  mount.path = snapshot_path(reader.at("path"));
  mount.type = snapshot_line(reader.at("type"));
  mount.read_only = reader.at("read_only").boolean();
  mount.free_bytes = static_cast<std::uint64_t>(reader.at("free_bytes").integer(0, INT64_MAX));
  if (const auto inodes = reader.find("free_inodes")) {
    mount.counts_inodes = true;
    mount.free_inodes = static_cast<std::uint64_t>(inodes->integer(0, INT64_MAX));
  }
  return mount;
}

TargetSnapshot parse_snapshot_document(const JsonReader& reader) {
  static_cast<void>(reader.at("kind").text_of({"target-snapshot"}));
  static_cast<void>(reader.at("schema").integer(1, 1));
  reader.expect_keys({"schema", "kind", "taken_at", "host_name", "os", "architecture", "kernel",
                      "glibc", "glibcxx", "cxxabi", "dpkg_version", "dpkg_compressions", "packages",
                      "owners", "diversions", "libraries", "pythons", "pythons_known", "mounts"});
  static_cast<void>(reader.at("owners"));
  TargetSnapshot snapshot;
  snapshot.taken_at = snapshot_line(reader.at("taken_at"));
  snapshot.host_name = optional_snapshot_line(reader, "host_name");
  snapshot.os = optional_snapshot_line(reader, "os");
  snapshot.architecture = optional_snapshot_line(reader, "architecture");
  snapshot.kernel = optional_snapshot_line(reader, "kernel");
  snapshot.glibc = optional_snapshot_line(reader, "glibc");
  snapshot.glibcxx = optional_snapshot_line(reader, "glibcxx");
  snapshot.cxxabi = optional_snapshot_line(reader, "cxxabi");
  snapshot.dpkg_version = optional_snapshot_line(reader, "dpkg_version");
  snapshot.dpkg_compressions = lines(reader.at("dpkg_compressions"));
  for (const JsonReader& item : reader.at("packages").items())
    snapshot.packages.push_back(parse_snapshot_package(item));
  for (const JsonReader& item : reader.at("diversions").items()) {
    item.expect_keys({"from", "to", "package"});
    snapshot.diversions.push_back({snapshot_path(item.at("from")), snapshot_path(item.at("to")),
                                   snapshot_line(item.at("package"))});
  }
  for (const JsonReader& item : reader.at("libraries").items()) {
    item.expect_keys({"soname", "path"});
    snapshot.libraries.push_back({file_text(item.at("soname")), file_text(item.at("path"))});
  }
  for (const JsonReader& item : reader.at("pythons").items())
    snapshot.pythons.push_back(parse_interpreter(item));
  if (const auto known = reader.find("pythons_known"))
    snapshot.are_pythons_known = known->boolean();
  for (const JsonReader& item : reader.at("mounts").items())
    snapshot.mounts.push_back(parse_mount(item));
  return snapshot;
}

}  // namespace

TargetSnapshot parse_target_snapshot(std::string_view json, const std::string& source) {
  if (json.size() > most_snapshot_bytes) {
    throw Error(ErrorCode::bad_package,
                format("cannot read {}: larger than {}", source, human_size(most_snapshot_bytes)),
                hint);
  }
  SnapshotEvents events(json, source);
  try {
    Json::sax_parse(json, &events);
    TargetSnapshot snapshot = parse_snapshot_document(JsonReader(events.document, source));
    snapshot.owners = std::move(events.owners.owners);
    return snapshot;
  } catch (const Json::exception&) {
    throw Error(ErrorCode::bad_package, format("cannot read {}: a number is out of range", source),
                hint);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_package) throw;
    throw Error(ErrorCode::bad_package, error.message(), hint);
  }
}

}  // namespace topsctl

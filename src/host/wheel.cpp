// Reads wheels: metadata first, the whole content against RECORD when asked.
#include "topsctl/host/wheel.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/stanza.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_metadata = 4ULL << 20U;
constexpr std::uint64_t most_record = 64ULL << 20U;
constexpr std::string_view info_suffix = ".dist-info";

[[noreturn]] void refuse(const fs::path& file, const std::string& why, std::string hint = {}) {
  if (hint.empty())
    hint = "the file is damaged or not a wheel: get it again from the vendor's bundle";
  throw Error(ErrorCode::bad_package,
              concat("cannot read ", in_quotes(file.filename().string()), ": ", why), hint);
}

// PEP 427: {distribution}-{version}(-{build})?-{python}-{abi}-{platform}.whl
struct FileName {
  std::string distribution;
  std::string tag;
  std::string platform;
};

FileName parse_file_name(const fs::path& file) {
  const std::vector<std::string> parts = split(file.stem().string(), '-');
  if (parts.size() < 5) refuse(file, "the file name is not that of a wheel");
  const std::size_t n = parts.size();
  return {parts[0], concat(parts[n - 3], "-", parts[n - 2], "-", parts[n - 1]), parts[n - 1]};
}

// A local file header, or the end record of an empty archive.
bool begins_as_zip(const fs::path& file) {
  std::array<char, 2> magic{};
  std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
  return magic == std::array<char, 2>{'P', 'K'};
}

std::string top_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

// Only the folder at the top whose name is the wheel's own counts: others may lie deeper, or belong
// to bundled distributions.
bool is_own_info(const std::string& folder, const FileName& name) {
  if (!folder.ends_with(info_suffix)) return false;
  return normalized_name(folder.substr(0, folder.find('-'))) == normalized_name(name.distribution);
}

// entry_points.txt is an INI file; only the names under [console_scripts] and [gui_scripts] matter
// here.
std::vector<std::string> script_names(std::string_view entry_points) {
  std::vector<std::string> names;
  bool wanted = false;
  for (const std::string& raw : split(entry_points, '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.starts_with('[')) wanted = line == "[console_scripts]" || line == "[gui_scripts]";
    const auto equals = line.find('=');
    if (!wanted || line.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals));
    if (!name.empty() && name.find('/') == std::string_view::npos) names.emplace_back(name);
  }
  return names;
}

// Where a member ends up: "x.data/purelib/a" is "a"; "x.data/scripts/b" is a command.
struct Destination {
  enum class Kind { site, script, elsewhere } kind = Kind::site;
  std::string path;
};

Destination destination_of(const std::string& member) {
  const std::vector<std::string> parts = split(member, '/');
  if (!parts[0].ends_with(".data") || parts.size() < 3) {
    return {Destination::Kind::site, member};
  }
  const std::string rest = joined(std::vector<std::string>(parts.begin() + 2, parts.end()), "/");
  if (parts[1] == "purelib" || parts[1] == "platlib") return {Destination::Kind::site, rest};
  if (parts[1] == "scripts") return {Destination::Kind::script, rest};
  return {Destination::Kind::elsewhere, rest};
}

void take_metadata(const Stanza& metadata, const fs::path& file, Package& package) {
  package.name = metadata.value("Name");
  package.version = metadata.value("Version");
  if (package.name.empty() || package.version.empty())
    refuse(file, "METADATA has no Name or no Version");
  package.name = printable(package.name);
  package.version = printable(package.version);
  package.python->requires_python = printable(metadata.value("Requires-Python"));
  for (const auto& [key, value] : metadata.fields) {
    if (lower_case(key) == "requires-dist") package.depends.push_back(printable(value));
  }
}

void take_tags(const Stanza& wheel, const FileName& name, Package& package) {
  std::vector<std::string>& tags = package.python->tags;
  for (const auto& [key, value] : wheel.fields) {
    if (lower_case(key) == "tag") tags.push_back(printable(value));
  }
  if (std::find(tags.begin(), tags.end(), name.tag) == tags.end()) tags.push_back(name.tag);
  // The file name is what the operator and pip see; WHEEL may list the expanded set.
  package.python->minor = python_minor({name.tag});
}

std::string digest_of_entry(ArchiveReader& reader) {
  Sha256 digest;
  for (std::string_view bytes = reader.piece(); !bytes.empty(); bytes = reader.piece()) {
    digest.update(bytes);
  }
  return digest.base64url();
}

// RECORD and its signatures cannot hold their own hash (PEP 427).
bool needs_no_hash(const std::string& path, const FileName& name) {
  const std::string folder = top_of(path);
  if (!is_own_info(folder, name)) return false;
  const std::string member = path.substr(std::min(folder.size() + 1, path.size()));
  return member == "RECORD" || member == "RECORD.jws" || member == "RECORD.p7s";
}

void compare_with_record(const fs::path& file, const FileName& name,
                         std::map<std::string, std::string> found,
                         const std::vector<RecordLine>& record) {
  for (const RecordLine& line : record) {
    const auto member = found.find(line.path);
    if (member == found.end())
      refuse(file, concat("RECORD lists ", in_quotes(line.path), ", which is not in the wheel"));
    if (!needs_no_hash(line.path, name) && line.sha256.empty()) {
      refuse(file, concat("RECORD has no sha256 for ", in_quotes(line.path)));
    }
    if (!needs_no_hash(line.path, name) && line.sha256 != member->second) {
      refuse(file, concat(in_quotes(line.path), " is not what RECORD says: its sha256 differs"));
    }
    found.erase(member);
  }
  for (const auto& [path, unused] : found) {
    if (!needs_no_hash(path, name))
      refuse(file, concat(in_quotes(path), " is not listed in RECORD"));
  }
}

}  // namespace

void read_wheel_metadata(const fs::path& file, Package& package) {
  const FileName name = parse_file_name(file);
  if (!begins_as_zip(file)) refuse(file, "not a wheel: no zip archive");
  package.architecture = name.platform;
  package.python = PythonNeeds{};
  ArchiveReader reader = ArchiveReader::zip(file, file.filename().string());
  bool has_metadata = false;
  bool has_wheel = false;
  bool has_record = false;
  while (const auto entry = reader.next()) {
    const Destination destination = destination_of(entry->path);
    if (destination.kind == Destination::Kind::script) package.scripts.push_back(destination.path);
    const std::string folder = top_of(entry->path);
    if (!is_own_info(folder, name)) continue;
    const std::string member = entry->path.substr(std::min(folder.size() + 1, entry->path.size()));
    if (member == "METADATA") {
      take_metadata(parse_stanza(reader.text(most_metadata)), file, package);
      has_metadata = true;
    } else if (member == "WHEEL") {
      take_tags(parse_stanza(reader.text(most_metadata)), name, package);
      has_wheel = true;
    } else if (member == "RECORD") {
      has_record = true;
    } else if (member == "entry_points.txt") {
      for (std::string& script : script_names(reader.text(most_metadata))) {
        package.scripts.push_back(std::move(script));
      }
    }
  }
  if (!has_metadata || !has_wheel || !has_record) {
    refuse(file, concat("not a wheel: no ",
                        !has_metadata ? "METADATA"
                        : !has_wheel  ? "WHEEL"
                                      : "RECORD",
                        " for ", in_quotes(name.distribution)));
  }
  if (normalized_name(package.name) != normalized_name(name.distribution)) {
    refuse(file, concat("METADATA says it is ", in_quotes(package.name)));
  }
}

void read_wheel_payload(const fs::path& file, Package& package) {
  const FileName name = parse_file_name(file);
  ArchiveReader reader = ArchiveReader::zip(file, file.filename().string());
  std::map<std::string, std::string> found;
  std::string record;
  std::vector<PayloadEntry> files;
  while (const auto entry = reader.next()) {
    if (entry->type == PayloadEntry::Type::directory) continue;
    if (entry->type != PayloadEntry::Type::file) {
      refuse(file, concat(in_quotes(entry->path), " is no regular file"));
    }
    const bool is_record =
        is_own_info(top_of(entry->path), name) && entry->path.ends_with("/RECORD");
    if (is_record) record = reader.text(most_record);
    if (!found.emplace(entry->path, is_record ? "" : digest_of_entry(reader)).second) {
      refuse(file, concat(in_quotes(entry->path), " is there twice"));
    }
    const Destination destination = destination_of(entry->path);
    if (destination.kind == Destination::Kind::elsewhere) {
      refuse(file, concat(in_quotes(entry->path), " would be installed outside the site directory"),
             "topsctl installs wheels that keep to the site directory and commands");
    }
    if (destination.kind == Destination::Kind::site) {
      files.push_back({destination.path, PayloadEntry::Type::file, entry->size});
    }
  }
  compare_with_record(file, name, std::move(found), parse_record(record, file.filename().string()));
  package.record = std::move(record);
  package.files = std::move(files);
}

}  // namespace topsctl

// Reads the metadata of wheels.
#include "topsctl/host/python/wheel.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "host/python/metadata_headers.hpp"
#include "host/python/wheel_faults.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/decompression_limit.hpp"
#include "topsctl/host/python/entry_points.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_tags.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_path_file = 64U << 10U;
constexpr std::uint64_t most_metadata = 2ULL << 20U;
constexpr std::uint64_t most_record = 16ULL << 20U;
constexpr std::size_t most_entries = 100'000;
constexpr std::size_t most_summary = 400;

[[noreturn]] void refuse_metadata(const std::string& file, const std::string& why) {
  throw Error(ErrorCode::bad_package, format("cannot read {}: {}", in_quotes(file), why),
              "the file is damaged or not a wheel: get a new copy from the vendor's bundle");
}

std::string one_line(const std::string& text) {
  return shortened(printable(text.substr(0, text.find('\n'))), most_summary);
}

class MetadataReading {
 public:
  MetadataReading(const ZipReader& zip, const std::string& file, Package& package)
      : zip_(zip), file_(file), package_(package) {}

  void read() {
    const auto name = parse_wheel_file_name(file_);
    if (!name) refuse_metadata(file_, "not a wheel file name");
    if (zip_.entries().size() > most_entries) {
      throw DecompressionBomb(file_, format("{} entries", zip_.entries().size()));
    }
    package_.architecture = name->platform;
    package_.python = PythonNeeds{};
    package_.wheel = WheelFacts{};
    package_.wheel->file_name = name->distribution;
    package_.wheel->file_version = name->version;
    package_.wheel->build = name->build;
    package_.wheel->file_tags = {name->tag};
    require_names_in_utf8();
    package_.wheel->dist_info = info_folder(*name);
    take_metadata(metadata_headers(text_member("METADATA", most_metadata)));
    take_wheel(metadata_headers(text_member("WHEEL", most_metadata)), name->tag);
    package_.record = text_member("RECORD", most_record);
    add_record_faults(package_.record, package_.wheel->faults);
    add_member_faults(zip_.entries(), package_.wheel->dist_info, package_.wheel->faults);
    list_files();
    if (entry("entry_points.txt") != nullptr) take_entry_points();
  }

 private:
  // Python's zipfile cannot read an archive with such a name.
  void require_names_in_utf8() const {
    for (const ZipEntry& entry : zip_.entries()) {
      if (is_utf8(entry.raw_path)) continue;
      refuse_metadata(file_, format("entry {}: its name is not UTF-8", in_quotes(entry.raw_path)));
    }
  }

  // Among the top-level directories, the one that matches the file name: others belong to bundled
  // distributions. A renamed wheel has only one, with another name.
  std::string info_folder(const WheelFileName& name) const {
    std::set<std::string> own;
    std::set<std::string> all;
    for (const ZipEntry& entry : zip_.entries()) {
      const auto slash = entry.raw_path.find('/');  // not of the plain path: as pip looks for it
      if (slash == std::string::npos) continue;
      const std::string folder = entry.raw_path.substr(0, slash);
      if (!folder.ends_with(".dist-info")) continue;
      all.insert(folder);
      if (is_info_of(folder, name.distribution)) own.insert(folder);
    }
    const std::string expected = concat(name.distribution, "-", name.version, ".dist-info");
    if (own.contains(expected)) return expected;
    if (own.empty() && all.size() == 1) {
      package_.wheel->faults.push_back(
          {"wheel-malformed", printable(*all.begin()),
           format("it is not the metadata of {}", in_quotes(name.distribution))});
      return *all.begin();
    }
    if (own.size() > 1) {
      refuse_metadata(file_, format("not a wheel: two metadata directories, {} and {}",
                                    in_quotes(*own.begin()), in_quotes(*own.rbegin())));
    }
    if (own.empty()) {
      refuse_metadata(file_,
                      format("not a wheel: no METADATA for {}", in_quotes(name.distribution)));
    }
    return *own.begin();
  }

  // The last one of that name, which Python's zipfile uses.
  const ZipEntry* entry(std::string_view name) const {
    const std::string path = concat(package_.wheel->dist_info, "/", name);
    const auto& entries = zip_.entries();
    const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const ZipEntry& one) {
      return one.path == path && one.type == PayloadEntry::Type::file;
    });
    return found == entries.rend() ? nullptr : &*found;
  }

  std::string member(std::string_view name, std::uint64_t most) const {
    const ZipEntry* found = entry(name);
    if (found == nullptr) {
      refuse_metadata(
          file_, format("not a wheel: no {} for {}", name, in_quotes(package_.wheel->file_name)));
    }
    return zip_.text(*found, most);
  }

  std::string text_member(std::string_view name, std::uint64_t most) const {
    std::string text = member(name, most);
    add_text_faults(text, name, package_.wheel->faults);
    return text;
  }

  void take_entry_points() {
    EntryPoints entry_points = read_entry_points(member("entry_points.txt", most_metadata));
    for (const EntryPoint& script : entry_points.scripts) package_.scripts.push_back(script.name);
    std::move(entry_points.faults.begin(), entry_points.faults.end(),
              std::back_inserter(package_.wheel->faults));
  }

  void take_metadata(const Stanza& metadata) {
    package_.name = printable(metadata.value("Name"));
    package_.version = printable(metadata.value("Version"));
    if (package_.name.empty() || package_.version.empty()) {
      refuse_metadata(file_, "METADATA has no Name or no Version");
    }
    package_.python->requires_python = printable(metadata.value("Requires-Python"));
    package_.wheel->summary = one_line(metadata.value("Summary"));
    package_.wheel->license = one_line(metadata.value("License"));
    if (package_.wheel->license.empty()) {
      package_.wheel->license = one_line(metadata.value("License-Expression"));
    }
    for (const auto& [key, value] : metadata.fields) {
      if (lower_case(key) == "requires-dist") package_.depends.push_back(printable(value));
    }
  }

  void take_wheel(const Stanza& wheel, const std::string& file_tag) {
    WheelFacts& facts = *package_.wheel;
    facts.wheel_version = printable(wheel.value("Wheel-Version"));
    facts.generator = one_line(wheel.value("Generator"));
    facts.root_is_purelib = lower_case(wheel.value("Root-Is-Purelib")) == "true";
    add_version_faults(facts.wheel_version, facts.faults);
    const std::string major = facts.wheel_version.substr(0, facts.wheel_version.find('.'));
    if (is_digits(major) && major != "0" && major != "1") {
      refuse_metadata(file_, format("unsupported Wheel-Version {}", facts.wheel_version));
    }
    std::vector<std::string>& tags = package_.python->tags;
    for (const auto& [key, value] : wheel.fields) {
      if (lower_case(key) == "tag") facts.wheel_tags.push_back(printable(value));
    }
    tags = facts.wheel_tags;
    if (std::find(tags.begin(), tags.end(), file_tag) == tags.end()) tags.push_back(file_tag);
    // The operator and pip see the file name; WHEEL may list the expanded set.
    package_.python->minor = python_minor({file_tag});
  }

  // The files by the central directory.
  void list_files() {
    std::vector<PayloadEntry> files;
    for (const ZipEntry& entry : zip_.entries()) {
      if (entry.escapes || entry.path.empty()) continue;
      const WheelDestination destination = wheel_destination(entry.path);
      if (destination.kind == WheelDestination::Kind::script &&
          entry.type != PayloadEntry::Type::directory) {
        package_.scripts.push_back(printable(destination.path));
      }
      files.push_back(wheel_file(entry));
      if (entry.path.ends_with(".pth") && has_code(entry)) {
        package_.wheel->code_at_start.push_back(files.back().path);
      }
    }
    package_.files = std::move(files);
    package_.files_are_claims = true;
  }

  // Python's site module runs lines that begin with "import"; line ends differ by version.
  bool has_code(const ZipEntry& entry) const {
    if (entry.type != PayloadEntry::Type::file) return false;
    return entry.size > most_path_file ||
           zip_.text(entry, most_path_file).find("import") != std::string::npos;
  }

  const ZipReader& zip_;
  const std::string& file_;
  Package& package_;
};

}  // namespace

void read_wheel_metadata(const ZipReader& zip, const std::string& file_name, Package& package) {
  MetadataReading(zip, file_name, package).read();
}

}  // namespace topsctl

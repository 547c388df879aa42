// Findings on integrity, hostile entries, modes, ELF files, and additions to a system.
#include "topsctl/engine/inspection/package_findings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/inspection/wheel_findings.hpp"
#include "engine/inspection/wheel_hazards.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/engine/inspection/missing_folders.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

// Collects evidence by the id of its finding.
class Collection {
 public:
  void add(const char* id, std::string_view source, std::string_view text) {
    lists_[id].add(source, text);
  }
  std::vector<Finding> findings(const std::string& subject) const {
    std::vector<Finding> findings;
    for (const auto& [id, list] : lists_) {
      findings.push_back(make_finding(id, subject, list.pieces()));
    }
    return findings;
  }

 private:
  std::map<std::string, EvidenceList> lists_;
};

const char* id_of(Fault fault) {
  switch (fault) {
    case Fault::bomb:
      return "archive-bomb";
    case Fault::refused_by_dpkg:
      return "dpkg-refuses-package";
    case Fault::damage:
      break;
  }
  return "package-unreadable";
}

void judge_mismatches(const Package& package, const Contents& contents, Collection& found) {
  for (const Mismatch& mismatch : contents.mismatches) {
    const std::string list = contents.list_name.empty() ? "RECORD" : contents.list_name;
    switch (mismatch.kind) {
      case Mismatch::Kind::digest:
      case Mismatch::Kind::size:
        found.add(mismatch.kind == Mismatch::Kind::size ? "record-size-wrong" : "digest-mismatch",
                  mismatch.path,
                  format("{} says {}, the file has {}", list, mismatch.expected, mismatch.found));
        break;
      case Mismatch::Kind::missing:
        found.add("listed-file-missing", mismatch.path, format("{} lists it", list));
        break;
      case Mismatch::Kind::unlisted:
        found.add("file-not-listed", mismatch.path, format("{} does not list it", list));
        break;
      case Mismatch::Kind::no_digest:
        found.add("digest-not-given", mismatch.path, format("{} has no digest for it", list));
        break;
    }
  }
  if (package.kind == PackageKind::deb && contents.list_name.empty()) {
    found.add("digest-list-missing", "control.tar", "it has no md5sums file");
  }
}

void judge_strange_entries(const Contents& contents, Collection& found) {
  for (const StrangeEntry& entry : contents.strange) {
    const char* id = "bad-entry-name";
    switch (entry.kind) {
      case StrangeEntry::Kind::escapes:
        id = "entry-escapes";
        break;
      case StrangeEntry::Kind::link_escapes:
        id = "link-escapes";
        break;
      case StrangeEntry::Kind::hard_link_outside:
        id = "hard-link-outside";
        break;
      case StrangeEntry::Kind::duplicate:
        id = "duplicate-entry";
        break;
      case StrangeEntry::Kind::device:
        id = "device-file";
        break;
      case StrangeEntry::Kind::too_large:
        id = "archive-bomb";
        break;
      case StrangeEntry::Kind::bad_name:
        break;
    }
    found.add(id, entry.path, entry.detail);
  }
}

// Directories above these files: who may change one may put another file in its place.
std::set<std::string> folders_above(const std::set<std::string>& files) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    for (std::size_t end = file.rfind('/'); end != 0 && end != std::string::npos;
         end = file.rfind('/', end - 1)) {
      if (!folders.insert(file.substr(0, end)).second) break;
    }
  }
  return folders;
}

bool is_roots(std::string_view name) {
  return name.empty() || name == "root" || name == "0";
}

// Who else than root may change it; empty: none. The owner may give the right to itself.
std::string others_who_may_change(const PayloadEntry& entry) {
  constexpr unsigned writable_by_group = 0020;
  constexpr unsigned writable_by_all = 0002;
  const auto slash = std::min(entry.owner.find('/'), entry.owner.size());
  const std::string user = entry.owner.substr(0, slash);
  const std::string group = entry.owner.substr(std::min(slash + 1, entry.owner.size()));
  if ((entry.mode & writable_by_all) != 0) return format("mode {}", octal_mode(entry.mode));
  if (!is_roots(user)) return format("owner {}", entry.owner);
  if ((entry.mode & writable_by_group) != 0 && !is_roots(group))
    return format("mode {}, {}", octal_mode(entry.mode), entry.owner);
  return {};
}

// `loaded`: loaded_files(), and the directories above.
void judge_mode(const PayloadEntry& entry, const std::set<std::string>& loaded, Collection& found) {
  constexpr unsigned setuid_or_setgid = 06000;
  constexpr unsigned writable_by_all = 0002;
  constexpr unsigned sticky = 01000;
  // A hard link gives the file its mode.
  const bool is_file =
      entry.type == PayloadEntry::Type::file || entry.type == PayloadEntry::Type::hardlink;
  const bool is_folder = entry.type == PayloadEntry::Type::directory;
  if (is_file && (entry.mode & setuid_or_setgid) != 0) {
    found.add("setuid-file", entry.path,
              format("mode {}, {}", octal_mode(entry.mode), entry.owner));
  }
  const bool is_loaded = loaded.contains(entry.path);
  const std::string others =
      is_loaded && (is_file || is_folder) ? others_who_may_change(entry) : std::string();
  if (!others.empty()) {
    found.add(open_finding, entry.path, others);
  } else if (is_loaded && leads_to_others(entry)) {
    found.add(open_finding, entry.path, format("a link to {}", entry.link_target));
  } else if ((entry.type == PayloadEntry::Type::file ||
              (is_folder && (entry.mode & sticky) == 0)) &&
             (entry.mode & writable_by_all) != 0) {
    found.add("world-writable-file", entry.path, format("mode {}", octal_mode(entry.mode)));
  }
}

struct Place {
  const char* id;
  const char* folder;
  const char* suffix;
};

constexpr std::array<Place, 14> places = {{
    {"adds-service", "/lib/systemd/system/", ".service"},
    {"adds-service", "/usr/lib/systemd/system/", ".service"},
    {"adds-service", "/etc/systemd/system/", ".service"},
    {"adds-service", "/etc/init.d/", ""},
    {"adds-udev-rule", "/lib/udev/rules.d/", ".rules"},
    {"adds-udev-rule", "/usr/lib/udev/rules.d/", ".rules"},
    {"adds-udev-rule", "/etc/udev/rules.d/", ".rules"},
    {"adds-loader-path", "/etc/ld.so.conf.d/", ""},
    {"adds-module-option", "/etc/modprobe.d/", ""},
    {"adds-module-option", "/lib/modprobe.d/", ""},
    {"adds-module-option", "/usr/lib/modprobe.d/", ""},
    {"adds-module-option", "/etc/modules-load.d/", ""},
    {"adds-module-option", "/lib/modules-load.d/", ""},
    {"adds-module-option", "/usr/lib/modules-load.d/", ""},
}};

bool is_kernel_module(const std::string& path) {
  return path.ends_with(".ko") || path.ends_with(".ko.xz") || path.ends_with(".ko.zst") ||
         path.ends_with(".ko.gz") ||
         (path.starts_with("/usr/src/") && path.ends_with("/dkms.conf"));
}

void judge_place(const std::string& path, Collection& found) {
  for (const Place& place : places) {
    if (path.starts_with(place.folder) && path.ends_with(place.suffix)) {
      found.add(place.id, path, "");
    }
  }
  if (is_kernel_module(path)) found.add("adds-kernel-module", path, "");
  for (const std::string_view folder : {"/usr/local/bin/", "/usr/local/sbin/"}) {
    if (path.starts_with(folder) && is_system_program(path.substr(folder.size()))) {
      found.add("shadows-system-program", path, "");
    }
  }
}

// md5sums often omits conffiles, so its list is incomplete.
void judge_places(const Package& package, Collection& found) {
  const bool has_more = package.files_are_claims && package.deb;
  std::set<std::string_view> left_out;
  if (has_more) left_out.insert(package.deb->conffiles.begin(), package.deb->conffiles.end());
  for (const PayloadEntry& entry : *package.files) {
    if (entry.type == PayloadEntry::Type::directory) continue;
    judge_place(entry.path, found);
    if (!left_out.empty()) left_out.erase(entry.path);
  }
  if (!has_more) return;
  for (const std::string& path : package.deb->conffiles) {
    if (left_out.contains(path)) judge_place(path, found);
  }
}

// The machine type for the ELF files of a package; empty: any.
std::string machine_of(const Package& package) {
  const std::string& name = package.architecture;
  if (name == "amd64" || name.ends_with("x86_64") || name == "any") return "x86-64";
  if (name == "arm64" || name.ends_with("aarch64")) return "aarch64";
  if (name == "i386" || name.ends_with("i686")) return "i386";
  return "";
}

// Programs for another processor: of the card, or of a virtual machine.
bool is_firmware(const std::string& path) {
  return path.starts_with("/lib/firmware/") || path.starts_with("/usr/lib/firmware/") ||
         path.starts_with("/usr/share/");
}

// Programs for no processor: data in ELF form, the kernel's own machine (BPF), cards.
bool is_for_no_processor(std::string_view machine) {
  constexpr std::array<std::string_view, 4> names = {"machine 0", "machine 190", "machine 224",
                                                     "machine 247"};
  return std::find(names.begin(), names.end(), machine) != names.end();
}

// Whether processors of the first machine type also run programs for the second.
bool runs_too(std::string_view machine, std::string_view other) {
  return (machine == "x86-64" && (other == "i386" || other == "x32")) ||
         (machine == "aarch64" && other == "arm");
}

// "/usr/lib32/libx.so.1", "/opt/x/lib/libx-i386.so": separate 32-bit libraries.
bool is_told_by_name(const std::string& path) {
  for (auto at = path.find("x86"); at != path.npos; at = path.find("x86", at + 3)) {
    const std::string_view rest = std::string_view(path).substr(at + 3);
    if (!rest.starts_with("_64") && !rest.starts_with("-64")) return true;
  }
  constexpr std::array<std::string_view, 7> names = {"32/",  "-32",  "i386", "i486",
                                                     "i586", "i686", "arm-"};
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return path.find(name) != std::string::npos; });
}

// Whether a file for another machine type than the deb's is still usable. A library is not usable
// in directories that programs of the deb's type search, because loading would fail.
bool is_usable(const ElfFile& file, const std::string& machine) {
  if (is_for_no_processor(file.facts.machine)) return true;
  if (file.facts.type == "relocatable") return !file.path.ends_with(".ko");
  if (!runs_too(machine, file.facts.machine)) return false;
  return file.facts.type != "shared" || is_told_by_name(file.path);
}

bool is_insecure(const std::string& search_path) {
  const bool is_relative = !search_path.starts_with('/') && !search_path.starts_with("$ORIGIN") &&
                           !search_path.starts_with("${ORIGIN}");
  return is_relative || search_path.starts_with("/tmp") || search_path.starts_with("/var/tmp") ||
         search_path.starts_with("/home/");
}

void judge_elf(const Package& package, const ElfFile& file, Collection& found) {
  const ElfFacts& facts = file.facts;
  if (!facts.is_sound()) {
    if (!is_firmware(file.path)) found.add("elf-damaged", file.path, facts.problem);
    return;
  }
  if (is_firmware(file.path)) return;
  const std::string machine = machine_of(package);
  const bool is_deb = package.kind == PackageKind::deb;
  if (!machine.empty() && facts.machine != machine && !(is_deb && is_usable(file, machine))) {
    found.add("elf-wrong-machine", file.path,
              format("it is for {}, the package for {}", facts.machine, package.architecture));
  }
  if (is_deb && package.architecture == "all") {
    found.add("elf-in-arch-all", file.path, format("it is for {}", facts.machine));
  }
  for (const std::string& path : facts.search_paths) {
    if (is_insecure(path)) {
      found.add("search-path-insecure", file.path,
                format("it looks for libraries in {}", in_quotes(path)));
    }
  }
}

}  // namespace

bool is_final_for_wheels(std::string_view id) {
  constexpr std::array<std::string_view, 11> ids = {
      "bad-entry-name",      "device-file",   "digest-mismatch", "digest-not-given",
      "duplicate-entry",     "entry-escapes", "file-not-listed", "link-escapes",
      "listed-file-missing", "wheel-link",    "wheel-malformed"};
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::vector<Finding> package_findings(const Package& package, const Contents* contents) {
  Collection found;
  if (package.verdict == Verdict::broken) {
    found.add(id_of(package.fault), package.path, package.problem);
    return found.findings(package.path);
  }
  if (package.wheel) {
    for (const WheelFault& fault : package.wheel->faults) {
      found.add(fault.finding.c_str(), fault.place, fault.why);
    }
  }
  if (package.files) {
    if (!package.files_are_claims) {
      // A wheel's files get modes of their own.
      std::set<std::string> loaded;
      if (package.kind == PackageKind::deb) loaded = loaded_files(package, contents);
      loaded.merge(folders_above(loaded));
      for (const PayloadEntry& entry : *package.files) judge_mode(entry, loaded, found);
    }
    if (package.kind == PackageKind::deb) judge_places(package, found);
  }
  if (contents != nullptr) {
    judge_mismatches(package, *contents, found);
    judge_strange_entries(*contents, found);
    for (const ElfFile& file : contents->elf_files) judge_elf(package, file, found);
    for (const std::string& file : contents->not_elf) {
      found.add("library-not-elf", file.substr(0, file.rfind(" (")), file);
    }
  }
  std::vector<Finding> findings = found.findings(package.path);
  if (contents != nullptr) {
    if (auto missing = missing_folders(package, is_base_folder))
      findings.push_back(std::move(*missing));
  }
  if (package.kind == PackageKind::wheel) {
    for (Finding& finding : wheel_findings(package, contents)) {
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace topsctl

// Reads the control archive of a .deb.
#include "topsctl/host/debian/deb_control.hpp"

#include <algorithm>
#include <map>

#include "host/debian/control_file.hpp"
#include "host/debian/control_members.hpp"
#include "host/debian/dpkg_tar.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_control_text = 4ULL << 20U;
constexpr std::uint64_t most_md5sums = 32ULL << 20U;
constexpr std::size_t most_control_entries = 1000;

[[noreturn]] void refuse_control(const std::string& file, const std::string& why) {
  throw unreadable_file(file, why);
}

// Wildcards ("any", "linux-any") are only for source packages; names with other characters are
// invalid.
void require_architecture(const std::string& name, const std::string& file) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  const std::vector<std::string> parts = split(name, '-');
  const bool is_wildcard = std::find(parts.begin(), parts.end(), "any") != parts.end();
  if (!is_plain || name.front() == '-' || is_wildcard || name == "source") {
    throw DpkgRefusal(file, format("{} is not a valid architecture", in_quotes(name)));
  }
}

std::string control_line(const std::string& value) {
  return printable(joined(split(trimmed(value), '\n'), " "));
}

void take_relations(const Stanza& control, Package& package) {
  DebFacts& deb = *package.deb;
  deb.pre_depends = control_line(control.value("Pre-Depends"));
  deb.depends = control_line(control.value("Depends"));
  deb.recommends = control_line(control.value("Recommends"));
  deb.suggests = control_line(control.value("Suggests"));
  deb.breaks = control_line(control.value("Breaks"));
  deb.conflicts = control_line(control.value("Conflicts"));
  deb.replaces = control_line(control.value("Replaces"));
  deb.provides = control_line(control.value("Provides"));
  for (const std::string* field : {&deb.pre_depends, &deb.depends}) {
    for (const std::string& clause : split(*field, ',')) {
      if (!trimmed(clause).empty()) package.depends.emplace_back(trimmed(clause));
    }
  }
  for (const std::string* field : {&deb.conflicts, &deb.breaks, &deb.replaces}) {
    for (const std::string& clause : split(*field, ',')) {
      // "name (<< 1) [arch]", "name:any"
      const std::string_view name = trimmed(clause);
      if (!name.empty())
        package.displaces.emplace_back(name.substr(0, name.find_first_of(" \t(:[")));
    }
  }
}

void take_control(const Stanza& control, const std::string& file, Package& package) {
  // As dpkg itself keeps them.
  package.name = lower_case(control.value("Package"));
  package.version = control.value("Version");
  if (const std::string revision = control.value("Revision"); !revision.empty())
    package.version += concat("-", revision);
  package.architecture = control.value("Architecture");
  require_architecture(package.architecture, file);
  take_relations(control, package);
  DebFacts& deb = *package.deb;
  deb.source = control_line(control.value("Source"));
  deb.section = control_line(control.value("Section"));
  deb.maintainer = control_line(control.value("Maintainer"));
  deb.multi_arch = control_line(control.value("Multi-Arch"));
  deb.essential = lower_case(control.value("Essential")) == "yes";
  const std::string description = control.value("Description");
  deb.summary = printable(description.substr(0, description.find('\n')));
  const std::string kibibytes = control.value("Installed-Size");
  if (is_digits(kibibytes) && kibibytes.size() < 15) {
    package.installed_size = std::stoull(kibibytes) * 1024;
  }
}

bool is_script(const std::string& member) {
  return member == "preinst" || member == "postinst" || member == "prerm" || member == "postrm" ||
         member == "config";
}

// Control files are at the top, or in DEBIAN/ (deb-old(5)).
std::string member_name(const TarEntry& entry) {
  constexpr std::string_view old_folder = "DEBIAN/";
  return entry.path.starts_with(old_folder) ? entry.path.substr(old_folder.size()) : entry.path;
}

bool is_read(const std::string& member) {
  return is_script(member) || member == "control" || member == "md5sums" || member == "conffiles" ||
         member == "triggers";
}

// Whether the entry is a file, or a hard link to one. dpkg accepts directories only in the old
// format; a symbolic link could hide a script.
bool is_member(const TarEntry& entry, const DebFacts& deb, const std::string& file) {
  const bool is_file =
      entry.type == PayloadEntry::Type::file || entry.type == PayloadEntry::Type::hardlink;
  if (!deb.format.starts_with("2.")) return is_file;
  if (entry.type == PayloadEntry::Type::symlink) {
    refuse_control(file, format("{} in the control archive is a link", in_quotes(entry.path)));
  }
  if (entry.path.empty()) return false;
  if (is_file && entry.path.find('/') == std::string::npos) return true;
  throw DpkgRefusal(
      file, format("{} in the control archive is not a top-level file", in_quotes(entry.path)));
}

// Reads the members beside the control file that control dpkg's actions.
void take_members(std::map<std::string, std::string>& texts, const std::string& file,
                  Package& package) {
  DebFacts& deb = *package.deb;
  for (auto& [name, text] : texts) {
    if (name == "md5sums") {
      package.md5sums = std::move(text);
    } else if (name == "conffiles") {
      Conffiles conffiles = read_conffiles(text, file);
      deb.conffiles = std::move(conffiles.kept);
      deb.removed_conffiles = std::move(conffiles.removed);
    } else if (name == "triggers") {
      require_sound_triggers(text, file);
      deb.triggers = printable(text, Lines::keep);
    } else if (is_script(name)) {
      deb.scripts.push_back({name, std::move(text)});
    }
  }
}

// The regular files that md5sums speaks of: all but conffiles, as dh_md5sums writes it.
void claim_files(Package& package) {
  constexpr std::size_t shortest_line = 35;  // digest, blank, a name, the line's end
  std::vector<PayloadEntry>& files = package.files.emplace();
  files.reserve(
      package.deb->conffiles.size() +
      std::min<std::size_t>(package.md5sums.size() / shortest_line,
                            std::count(package.md5sums.begin(), package.md5sums.end(), '\n')));
  for (std::string_view rest = package.md5sums; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto blank = line.find_first_of(" \t");
    if (blank != 32) continue;
    std::string_view path = line.substr(blank);
    path.remove_prefix(std::min(path.find_first_not_of(" \t*"), path.size()));
    if (path.empty() || path_escapes(path)) continue;
    PayloadEntry entry;
    entry.path = concat("/", plain_path(path));
    files.push_back(std::move(entry));
  }
  for (const std::string& path : package.deb->conffiles) {
    PayloadEntry entry;
    entry.path = path;
    files.push_back(std::move(entry));
  }
  package.files_are_claims = true;
}

}  // namespace

void read_control_archive(Source& tar, const std::string& file_name, Package& package) {
  if (!package.deb) package.deb.emplace();
  DpkgTar judged(tar, file_name, DpkgTar::Archive::control);
  TarReader reader(judged, file_name);
  std::map<std::string, std::string> texts;
  std::size_t count = 0;
  while (const auto entry = reader.next()) {
    if (++count > most_control_entries)
      refuse_control(file_name, "the control archive has too many entries");
    if (entry->escapes)
      refuse_control(file_name, "an entry of the control archive points outside it");
    if (!is_member(*entry, *package.deb, file_name)) continue;
    const std::string name = member_name(*entry);
    package.deb->control_members.push_back(printable(name));
    if (!is_read(name)) continue;
    // Among several members of one name, the last one counts.
    if (entry->type == PayloadEntry::Type::hardlink) {
      const auto target = texts.find(plain_path(entry->link_target));
      if (target == texts.end() || target->second.size() > most_control_text)
        refuse_control(file_name, "a link in the control archive does not point to a text in it");
      texts[name] = std::string(target->second);
    } else {
      texts[name] = reader.text(name == "md5sums" ? most_md5sums : most_control_text);
    }
  }
  const auto control = texts.find("control");
  if (control == texts.end()) refuse_control(file_name, "the control archive has no control file");
  take_control(read_control_file(control->second, file_name), file_name, package);
  take_members(texts, file_name, package);
  claim_files(package);
}

}  // namespace topsctl

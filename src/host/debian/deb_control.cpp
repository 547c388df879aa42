// Reads the control archive of a .deb.
#include "topsctl/host/debian/deb_control.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/system/stanza.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_control_text = 4ULL << 20U;
constexpr std::uint64_t most_md5sums = 32ULL << 20U;
constexpr std::size_t most_entries = 1000;

[[noreturn]] void refuse_control(const std::string& file, const std::string& why) {
  throw unreadable_file(file, why);
}

std::string required(const Stanza& control, const char* field, const std::string& file) {
  std::string value = control.value(field);
  if (value.empty())
    refuse_control(file, format("the control file has no field {}", in_quotes(field)));
  return value;
}

// Policy 5.6.7 and 5.6.12: what is allowed in names and versions, so that neither can be mistaken
// for an option or a path.
void refuse_strange_name(const std::string& name, std::string_view allowed,
                         const std::string& file) {
  const bool plain = std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           allowed.find(c) != std::string_view::npos;
  });
  if (!plain || name.front() == '-' || name.front() == '.') {
    refuse_control(file,
                   format("the control file has the strange name or version {}", in_quotes(name)));
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
  package.name = required(control, "Package", file);
  package.version = required(control, "Version", file);
  package.architecture = required(control, "Architecture", file);
  refuse_strange_name(package.name, "+-.", file);
  refuse_strange_name(package.version, "+-.~:", file);
  refuse_strange_name(package.architecture, "-", file);
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

// Control files lie at the top, or in DEBIAN/ (deb-old(5)).
std::string member_name(const TarEntry& entry) {
  constexpr std::string_view old_folder = "DEBIAN/";
  return entry.path.starts_with(old_folder) ? entry.path.substr(old_folder.size()) : entry.path;
}

// The regular files that md5sums speaks of: all but conffiles, as dh_md5sums writes it.
void claim_files(Package& package) {
  std::vector<PayloadEntry>& files = package.files.emplace();
  for (const std::string& line : split(package.md5sums, '\n')) {
    const auto blank = line.find_first_of(" \t");
    if (blank != 32) continue;
    std::string_view path = std::string_view(line).substr(blank);
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
  TarReader reader(tar, file_name);
  bool found = false;
  std::size_t count = 0;
  while (const auto entry = reader.next()) {
    if (++count > most_entries)
      refuse_control(file_name, "the control archive has too many entries");
    if (entry->escapes)
      refuse_control(file_name, "the control archive has an entry that points out of it");
    if (entry->type != PayloadEntry::Type::file) continue;
    const std::string name = member_name(*entry);
    package.deb->control_members.push_back(printable(name));
    if (name == "control") {
      take_control(parse_stanza(reader.text(most_control_text)), file_name, package);
      found = true;
    } else if (name == "md5sums") {
      package.md5sums = reader.text(most_md5sums);
    } else if (name == "conffiles") {
      for (const std::string& line : split(reader.text(most_control_text), '\n')) {
        if (line.starts_with('/')) package.deb->conffiles.emplace_back(trimmed(line));
      }
    } else if (name == "triggers") {
      package.deb->triggers = printable(reader.text(most_control_text), Lines::keep);
    } else if (is_script(name)) {
      package.deb->scripts.push_back({name, reader.text(most_control_text)});
    }
  }
  if (!found) refuse_control(file_name, "the control archive has no control file");
  claim_files(package);
}

}  // namespace topsctl

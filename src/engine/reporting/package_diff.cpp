// Compares two versions of one package: files, modes, libraries, scripts, relations.
#include "topsctl/engine/reporting/package_diff.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/model/relation.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_script_lines = 20;
constexpr std::size_t most_clauses = 200;

using Entries = std::map<std::string_view, const PayloadEntry*>;
using Texts = std::set<std::string>;

Entries entries_of(const Package& package) {
  Entries entries;
  for (const PayloadEntry& entry : *package.files) entries.emplace(entry.path, &entry);
  return entries;
}

// The version's own directories include it in their names: "torch_gcu-1.10.dist-info".
bool is_wheel_metadata(const Package& package, std::string_view path) {
  return package.kind == PackageKind::wheel &&
         path.substr(0, path.find('/')).ends_with(".dist-info");
}

// The package's own list of digests; empty if it has none or a malformed one.
std::map<std::string, std::string> digests_of(const Package& package) {
  std::map<std::string, std::string> digests;
  for (const std::string& line : split(package.md5sums, '\n')) {
    const auto blank = line.find("  ");
    if (blank != std::string::npos)
      digests.emplace(concat("/", line.substr(blank + 2)), line.substr(0, blank));
  }
  if (package.record.empty()) return digests;
  try {
    for (RecordLine& line : parse_record(package.record, package.path))
      digests.emplace(std::move(line.path), std::move(line.digest));
  } catch (const Error&) {
    return {};  // findings report it
  }
  return digests;
}

bool digests_differ(const std::map<std::string, std::string>& before,
                    const std::map<std::string, std::string>& after, std::string_view path) {
  const auto old_digest = before.find(std::string(path));
  const auto new_digest = after.find(std::string(path));
  return old_digest != before.end() && new_digest != after.end() &&
         old_digest->second != new_digest->second;
}

std::optional<std::uint64_t> size_of(const Package& package, const PayloadEntry& entry) {
  const bool is_known = package.kind != PackageKind::deb || !package.files_are_claims;
  return is_known ? std::optional(entry.size) : std::nullopt;
}

void compare_files(const Package& before, const Package& after, PackageDiff& diff) {
  diff.files_compared = before.files && after.files;
  if (!diff.files_compared) return;
  const Entries old_entries = entries_of(before);
  const Entries new_entries = entries_of(after);
  const auto old_digests = digests_of(before);
  const auto new_digests = digests_of(after);
  for (const auto& [path, entry] : old_entries) {
    const auto found = new_entries.find(path);
    if (found == new_entries.end()) {
      if (!is_wheel_metadata(before, path)) diff.files_removed.add(printable(path));
      continue;
    }
    const PayloadEntry& other = *found->second;
    const bool are_read = !before.files_are_claims && !after.files_are_claims;
    const FileChange change{printable(path), size_of(before, *entry), size_of(after, other)};
    const bool is_other =
        (change.before && change.after && *change.before != *change.after) ||
        (are_read && (entry->type != other.type || entry->link_target != other.link_target));
    if (is_other || digests_differ(old_digests, new_digests, path)) diff.files_changed.add(change);
    // 0: unknown mode.
    if (entry->mode != 0 && other.mode != 0 && entry->mode != other.mode)
      diff.modes_changed.add({printable(path), entry->mode, other.mode});
  }
  for (const auto& [path, entry] : new_entries) {
    if (old_entries.contains(path)) continue;
    if (!is_wheel_metadata(after, path)) diff.files_added.add(printable(path));
    if ((entry->mode & 06000U) != 0) diff.modes_changed.add({printable(path), 0, entry->mode});
  }
}

// "libtops.so" of "libtops.so.2".
std::string stem_of(const std::string& soname) {
  const auto at = soname.find(".so");
  return at == std::string::npos ? soname : soname.substr(0, at + 3);
}

struct Libraries {
  Texts sonames;
  Texts needed;
  std::string glibc;
};

Libraries libraries_of(const Contents& contents) {
  Libraries libraries;
  for (const ElfFile& file : contents.elf_files) {
    if (!file.facts.soname.empty()) libraries.sonames.insert(printable(file.facts.soname));
    for (const std::string& name : file.facts.needed) libraries.needed.insert(printable(name));
    if (compare_debian_versions(libraries.glibc, file.facts.glibc) < 0)
      libraries.glibc = printable(file.facts.glibc);
  }
  return libraries;
}

void compare_sonames(const Texts& before, const Texts& after, PackageDiff& diff) {
  std::map<std::string, std::vector<std::string>> lost;
  std::map<std::string, std::vector<std::string>> gained;
  for (const std::string& soname : before) {
    if (!after.contains(soname)) lost[stem_of(soname)].push_back(soname);
  }
  for (const std::string& soname : after) {
    if (!before.contains(soname)) gained[stem_of(soname)].push_back(soname);
  }
  for (const auto& [stem, names] : lost) {
    const auto found = gained.find(stem);
    if (names.size() == 1 && found != gained.end() && found->second.size() == 1) {
      diff.sonames_bumped.add({names.front(), found->second.front()});
      gained.erase(found);
      continue;
    }
    for (const std::string& soname : names) diff.sonames_lost.add(soname);
  }
  for (const auto& [stem, names] : gained) {
    for (const std::string& soname : names) diff.sonames_gained.add(soname);
  }
}

void compare_libraries(const Contents* before, const Contents* after, PackageDiff& diff) {
  diff.contents_compared = before != nullptr && after != nullptr;
  if (!diff.contents_compared) return;
  const Libraries old_libraries = libraries_of(*before);
  const Libraries new_libraries = libraries_of(*after);
  compare_sonames(old_libraries.sonames, new_libraries.sonames, diff);
  for (const std::string& library : new_libraries.needed) {
    if (!old_libraries.needed.contains(library)) diff.needed_gained.add(library);
  }
  diff.glibc_before = old_libraries.glibc;
  diff.glibc_after = new_libraries.glibc;
}

std::map<std::string, std::string> scripts_of(const Package& package) {
  std::map<std::string, std::string> scripts;
  if (!package.deb) return scripts;
  for (const MaintainerScript& script : package.deb->scripts)
    scripts.emplace(script.name, script.text);
  if (!package.deb->triggers.empty()) scripts.emplace("triggers", package.deb->triggers);
  return scripts;
}

void compare_scripts(const Package& before, const Package& after, PackageDiff& diff) {
  const auto old_scripts = scripts_of(before);
  auto new_scripts = scripts_of(after);
  Texts names;
  for (const auto& [name, unused] : old_scripts) names.insert(name);
  for (const auto& [name, unused] : new_scripts) names.insert(name);
  for (const std::string& name : names) {
    const auto old_script = old_scripts.find(name);
    const auto new_script = new_scripts.find(name);
    ScriptChange change{
        printable(name), old_script == old_scripts.end(), new_script == new_scripts.end(), {}};
    change.lines = line_diff(change.is_new ? "" : old_script->second,
                             change.is_gone ? "" : new_script->second, most_script_lines);
    if (change.is_new || change.is_gone || !change.lines.is_empty())
      diff.scripts.push_back(std::move(change));
  }
}

// Canonical clauses; unparsable ones stay as written.
Texts clauses_of(const std::string& field, const std::string& subject) {
  Texts clauses;
  try {
    for (const Clause& clause : parse_relations(field, subject))
      clauses.insert(printable(to_text(clause)));
  } catch (const Error&) {
    for (const std::string& piece : split(field, ',')) {
      if (!trimmed(piece).empty()) clauses.insert(printable(trimmed(piece)));
    }
  }
  return clauses;
}

void compare_texts(const char* field, const Texts& before, const Texts& after, PackageDiff& diff) {
  RelationChange change{field, {}, {}};
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(change.lost));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(change.gained));
  change.lost.resize(std::min(change.lost.size(), most_clauses));
  change.gained.resize(std::min(change.gained.size(), most_clauses));
  if (!change.lost.empty() || !change.gained.empty()) diff.relations.push_back(std::move(change));
}

struct Field {
  const char* name;
  std::string DebFacts::*text;
};

void compare_relations(const Package& before, const Package& after, PackageDiff& diff) {
  static constexpr Field fields[] = {
      {"pre_depends", &DebFacts::pre_depends}, {"depends", &DebFacts::depends},
      {"recommends", &DebFacts::recommends},   {"breaks", &DebFacts::breaks},
      {"conflicts", &DebFacts::conflicts},     {"replaces", &DebFacts::replaces},
      {"provides", &DebFacts::provides}};
  if (before.deb && after.deb) {
    for (const Field& field : fields) {
      compare_texts(field.name, clauses_of((*before.deb).*field.text, before.path),
                    clauses_of((*after.deb).*field.text, after.path), diff);
    }
    return;
  }
  const auto requirements = [](const Package& package) {
    Texts texts;
    for (const std::string& field : package.depends) texts.insert(printable(trimmed(field)));
    return texts;
  };
  const bool is_wheel = before.kind == PackageKind::wheel;
  compare_texts(is_wheel ? "requires_dist" : "depends", requirements(before), requirements(after),
                diff);
  const auto pythons = [](const Package& package) {
    return package.python && !package.python->requires_python.empty()
               ? Texts{printable(package.python->requires_python)}
               : Texts{};
  };
  compare_texts("requires_python", pythons(before), pythons(after), diff);
}

void compare_conffiles(const Package& before, const Package& after, PackageDiff& diff) {
  if (!before.deb || !after.deb) return;
  const Texts old_files(before.deb->conffiles.begin(), before.deb->conffiles.end());
  const Texts new_files(after.deb->conffiles.begin(), after.deb->conffiles.end());
  for (const std::string& path : old_files) {
    if (!new_files.contains(path)) diff.conffiles_removed.add(printable(path));
  }
  for (const std::string& path : new_files) {
    if (!old_files.contains(path)) diff.conffiles_added.add(printable(path));
  }
}

}  // namespace

PackageDiff package_diff(const Package& before, const Contents* before_contents,
                         const Package& after, const Contents* after_contents) {
  PackageDiff diff;
  compare_files(before, after, diff);
  compare_libraries(before_contents, after_contents, diff);
  compare_scripts(before, after, diff);
  compare_relations(before, after, diff);
  compare_conffiles(before, after, diff);
  return diff;
}

std::string_view name(VersionChange change) {
  switch (change) {
    case VersionChange::upgrade:
      return "upgrade";
    case VersionChange::downgrade:
      return "downgrade";
    case VersionChange::rebuild:
      return "rebuild";
  }
  return "rebuild";
}

}  // namespace topsctl

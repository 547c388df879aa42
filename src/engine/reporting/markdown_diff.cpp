// Writes the differences between two bundles in Markdown.
#include "topsctl/engine/reporting/markdown_diff.hpp"

#include <functional>

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/reporting/markdown_report.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {

namespace {

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : markdown_text(text);
}

std::string package_cell(const PackageEntry& entry) {
  return concat(
      markdown_text(entry.name.empty() ? entry.place : entry.name),
      entry.python_minor ? format(" (Python {})", markdown_text(*entry.python_minor)) : "");
}

std::string packages_table(const BundleDiff& diff) {
  std::string text =
      "\n| package | before | after | change | size |\n| --- | --- | --- | --- | --- |\n";
  for (const PackageEntry& entry : diff.added) {
    text += format("| {} | - | {} | added | {} |\n", package_cell(entry), or_dash(entry.version),
                   human_size(entry.size));
  }
  for (const PackageEntry& entry : diff.removed) {
    text += format("| {} | {} | - | removed | {} |\n", package_cell(entry), or_dash(entry.version),
                   human_size(entry.size));
  }
  for (const PackageDiff& change : diff.changed) {
    text +=
        format("| {} | {} | {} | {} | {} to {} |\n", package_cell(change.after),
               or_dash(change.before.version), or_dash(change.after.version), name(change.change),
               human_size(change.before.size), human_size(change.after.size));
  }
  return text;
}

template <class Item>
std::string list(const char* title, const Excerpt<Item>& items,
                 const std::function<std::string(const Item&)>& text_of) {
  if (items.count == 0) return {};
  std::string text = concat("\n", title, ": ", items.count, "\n\n");
  for (const Item& item : items.first) text += concat("- ", text_of(item), "\n");
  if (items.count > items.first.size())
    text += format("- and {} more\n", items.count - items.first.size());
  return text;
}

std::string name_lines(const char* title, const Excerpt<std::string>& items) {
  return list<std::string>(title, items,
                           [](const std::string& text) { return markdown_text(text); });
}

std::string file_lines(const PackageDiff& diff) {
  std::string text = name_lines("Files added", diff.files_added);
  text += name_lines("Files removed", diff.files_removed);
  text += list<FileChange>("Files changed", diff.files_changed, [](const FileChange& change) {
    const bool is_resized = change.before && change.after && change.before != change.after;
    return concat(markdown_text(change.path), ": ",
                  is_resized
                      ? format("{} to {}", human_size(*change.before), human_size(*change.after))
                      : std::string("different content"));
  });
  text += list<ModeChange>("Modes changed", diff.modes_changed, [](const ModeChange& change) {
    return format("{}: {} to {}{}", markdown_text(change.path),
                  change.before == 0 ? "new" : octal_mode(change.before), octal_mode(change.after),
                  change.gains_setuid() ? ", **gains setuid or setgid**" : "");
  });
  text += name_lines("Configuration files added", diff.conffiles_added);
  return text + name_lines("Configuration files removed", diff.conffiles_removed);
}

std::string library_lines(const PackageDiff& diff) {
  std::string text = name_lines("Libraries added (SONAME)", diff.sonames_gained);
  text += name_lines("Libraries removed (SONAME)", diff.sonames_lost);
  text += list<SonameChange>(
      "Libraries with a new SONAME", diff.sonames_bumped, [](const SonameChange& change) {
        return format("{} to {}", markdown_text(change.before), markdown_text(change.after));
      });
  text += name_lines("New library dependencies", diff.needed_gained);
  if (diff.glibc_before != diff.glibc_after) {
    text += format("\nRequired glibc: {} to {}\n", or_dash(diff.glibc_before),
                   or_dash(diff.glibc_after));
  }
  return text;
}

std::string scripts_and_relations(const PackageDiff& diff) {
  std::string text;
  for (const ScriptChange& change : diff.scripts) {
    text += format("\nScript {}{}: {} added, {} removed\n\n", markdown_text(change.name),
                   change.is_new    ? " added"
                   : change.is_gone ? " removed"
                                    : " changed",
                   counted(change.lines.added, "line"), change.lines.removed);
    for (const std::string& line : change.lines.first)
      text += concat("- ", markdown_text(line), "\n");
  }
  for (const RelationChange& change : diff.relations) {
    text += format("\nField {}\n\n", markdown_text(change.field));
    for (const std::string& clause : change.lost)
      text += format("- lost: {}\n", markdown_text(clause));
    for (const std::string& clause : change.gained)
      text += format("- gained: {}\n", markdown_text(clause));
  }
  return text;
}

std::string values(const std::vector<std::string>& list) {
  return list.empty() ? "not set" : markdown_text(joined(list, " or "));
}

}  // namespace

std::string markdown_diff(const BundleDiff& diff, const MarkdownDiffFrame& frame) {
  std::string text = format(
      "# From {} to {}\n\nGenerated by topsctl {}{}. {} changed, {} added, {} removed, {} "
      "unchanged.\n",
      or_dash(frame.before), or_dash(frame.after), topsctl_version(),
      frame.created_at.empty() ? "" : format(" at {}", markdown_text(frame.created_at)),
      diff.changed.size(), diff.added.size(), diff.removed.size(), diff.same);
  if (diff.added.size() + diff.removed.size() + diff.changed.size() > 0)
    text += packages_table(diff);
  for (const PackageDiff& change : diff.changed) {
    const std::string details =
        file_lines(change) + library_lines(change) + scripts_and_relations(change);
    if (!details.empty()) text += concat("\n## ", package_cell(change.after), "\n", details);
  }
  if (diff.containers.count + diff.settings.count > 0) text += "\n## Bundle\n";
  text += list<ContainerChange>("Archives", diff.containers, [](const ContainerChange& change) {
    return format("{}: {} to {}", markdown_text(change.place),
                  change.is_new ? "new" : human_size(change.size_before),
                  change.is_gone ? "gone" : human_size(change.size_after));
  });
  return text + list<SettingChange>("Variables set by scripts", diff.settings,
                                    [](const SettingChange& change) {
                                      return format("{}: {} to {}", markdown_text(change.name),
                                                    values(change.before), values(change.after));
                                    });
}

}  // namespace topsctl

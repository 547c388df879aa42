// Renders the differences between two bundles.
#include "cli/diff_text.hpp"

#include <algorithm>
#include <functional>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/reporting/package_diff.hpp"

namespace topsctl {

namespace {

constexpr std::size_t brief_items = 10;
constexpr const char* indent = "      ";

// A heading with the count, and the first items a line each.
template <class Item>
std::string list(const std::string& heading, const Excerpt<Item>& items, Detail detail,
                 const std::function<std::string(const Item&)>& text_of) {
  if (items.count == 0) return {};
  const std::size_t most = detail == Detail::full ? items.first.size() : brief_items;
  const std::size_t shown = std::min(items.first.size(), most);
  std::string text = concat("    ", heading, ": ", items.count, "\n");
  for (std::size_t i = 0; i < shown; ++i) text += concat(indent, text_of(items.first[i]), "\n");
  if (items.count > shown) text += format("{}and {} more\n", indent, items.count - shown);
  return text;
}

std::string plain_list(const std::string& heading, const Excerpt<std::string>& items,
                       Detail detail) {
  return list<std::string>(heading, items, detail, [](const std::string& text) { return text; });
}

std::string entry_text(const PackageEntry& entry) {
  const std::string name = entry.name.empty() ? entry.place : entry.name;
  return concat(printable(name), entry.version.empty() ? "" : " ", printable(entry.version),
                entry.python_minor ? format(" (Python {})", printable(*entry.python_minor)) : "");
}

std::string files_text(const PackageDiff& diff, Detail detail, const Style& style) {
  std::string text = plain_list("files added", diff.files_added, detail);
  text += plain_list("files removed", diff.files_removed, detail);
  text += list<FileChange>("files changed", diff.files_changed, detail, [&](const FileChange& c) {
    const std::string sizes = !c.before || !c.after || c.before == c.after
                                  ? std::string("different content")
                                  : concat(human_size(*c.before), " -> ", human_size(*c.after));
    return concat(c.path, "  ", sizes);
  });
  text += list<ModeChange>("modes changed", diff.modes_changed, detail, [&](const ModeChange& c) {
    const std::string modes =
        concat(c.before == 0 ? "new" : octal_mode(c.before), " -> ", octal_mode(c.after));
    return concat(
        c.path, "  ",
        c.gains_setuid() ? style.red(format("{}, gains setuid or setgid", modes)) : modes);
  });
  text += plain_list("configuration files added", diff.conffiles_added, detail);
  return text + plain_list("configuration files removed", diff.conffiles_removed, detail);
}

std::string libraries_text(const PackageDiff& diff, Detail detail, const Style& style) {
  std::string text = plain_list("libraries added (SONAME)", diff.sonames_gained, detail);
  text += plain_list("libraries removed (SONAME)", diff.sonames_lost, detail);
  text +=
      list<SonameChange>("libraries with a new SONAME", diff.sonames_bumped, detail,
                         [](const SonameChange& c) { return concat(c.before, " -> ", c.after); });
  text += plain_list("newly required libraries", diff.needed_gained, detail);
  if (diff.glibc_before != diff.glibc_after) {
    const auto version = [](const std::string& glibc) {
      return glibc.empty() ? std::string("none") : glibc;
    };
    text += concat("    ", style.yellow(format("required glibc")), ": ", version(diff.glibc_before),
                   " -> ", version(diff.glibc_after), "\n");
  }
  return text;
}

std::string scripts_text(const PackageDiff& diff, Detail detail, const Style& style) {
  std::string text;
  for (const ScriptChange& change : diff.scripts) {
    text += format("    {} {}: {} added, {} removed\n", style.yellow(change.name),
                   change.is_new    ? "added"
                   : change.is_gone ? "removed"
                                    : "changed",
                   counted(change.lines.added, "line"), change.lines.removed);
    const std::size_t most = detail == Detail::full ? change.lines.first.size() : brief_items;
    const std::size_t shown = std::min(most, change.lines.first.size());
    for (std::size_t i = 0; i < shown; ++i) text += concat(indent, change.lines.first[i], "\n");
    const std::size_t all = change.lines.added + change.lines.removed;
    if (all > shown) text += format("{}and {} more\n", indent, all - shown);
  }
  return text;
}

std::string relations_text(const PackageDiff& diff) {
  std::string text;
  for (const RelationChange& change : diff.relations) {
    text += concat("    ", change.field, ":\n");
    for (const std::string& clause : change.lost) text += concat(indent, "- ", clause, "\n");
    for (const std::string& clause : change.gained) text += concat(indent, "+ ", clause, "\n");
  }
  return text;
}

std::string sizes_text(const PackageDiff& diff) {
  const std::string before = human_size(diff.before.size);
  const std::string after = human_size(diff.after.size);
  return before == after ? after : concat(before, " -> ", after);
}

std::string change_text(const PackageDiff& diff, Detail detail, const Style& style) {
  const std::string change(name(diff.change));
  const bool is_rebuild = diff.change == VersionChange::rebuild;
  const std::string heading = concat(
      "  ", diff.change == VersionChange::upgrade ? style.green(change) : style.yellow(change),
      "  ", entry_text(diff.before),
      is_rebuild && diff.before.version == diff.after.version
          ? std::string(", different content")
          : concat(" -> ", printable(diff.after.version)),
      "  ", sizes_text(diff), "\n");
  const std::string details = files_text(diff, detail, style) +
                              libraries_text(diff, detail, style) +
                              scripts_text(diff, detail, style) + relations_text(diff);
  if (!details.empty()) return heading + details;
  return format("{}    no differences in {}{}scripts and relations\n", heading,
                diff.files_compared ? "the file list, " : "",
                diff.contents_compared ? "libraries, " : "");
}

std::string bundle_text(const BundleDiff& diff, Detail detail) {
  std::string text =
      list<ContainerChange>("archives", diff.containers, detail, [](const ContainerChange& c) {
        return concat(c.place, "  ", c.is_new ? "new" : human_size(c.size_before), " -> ",
                      c.is_gone ? "gone" : human_size(c.size_after));
      });
  const auto values = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("not set") : printable(joined(list, " or "));
  };
  return text +
         list<SettingChange>(
             "variables set by scripts", diff.settings, detail, [&](const SettingChange& c) {
               return concat(printable(c.name), ": ", values(c.before), " -> ", values(c.after));
             });
}

}  // namespace

std::string render_diff(const BundleDiff& diff, Detail detail, const Style& style) {
  std::string text;
  for (const PackageEntry& entry : diff.added)
    text += concat("  ", style.green(format("added")), "  ", entry_text(entry), "  ",
                   human_size(entry.size), "\n");
  for (const PackageEntry& entry : diff.removed)
    text += concat("  ", style.red(format("removed")), "  ", entry_text(entry), "  ",
                   human_size(entry.size), "\n");
  for (const PackageDiff& change : diff.changed) text += change_text(change, detail, style);
  text += bundle_text(diff, detail);
  if (diff.is_empty())
    return format("no differences: {} identical\n", counted(diff.same, "package"));
  return text + format("  {} changed, {} added, {} removed, {} unchanged\n",
                       counted(diff.changed.size(), "package"), diff.added.size(),
                       diff.removed.size(), diff.same);
}

}  // namespace topsctl

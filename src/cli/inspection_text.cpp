// The text of `topsctl inspect`: packages, containers, stacks, and the next command.
#include "cli/inspection_text.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/finding_groups.hpp"
#include "topsctl/model/place.hpp"

namespace topsctl {

namespace {

// Of settings, in brief.
constexpr std::size_t most_settings_shown = 8;

using Rows = std::vector<std::vector<std::string>>;

// The common directory and archives of these files, which would take space from the differing part.
std::string common_place(const std::vector<const Package*>& packages) {
  if (packages.size() < 2) return {};
  std::string common = place_text(packages.front()->container, packages.front()->path);
  for (const Package* package : packages) {
    const std::string place = place_text(package->container, package->path);
    const auto [end, unused] =
        std::mismatch(common.begin(), common.end(), place.begin(), place.end());
    common.erase(end, common.end());
  }
  const auto folder = common.rfind('/');
  const auto archive = common.rfind(" > ");
  const std::size_t after_folder = folder == std::string::npos ? 0 : folder + 1;
  const std::size_t after_archive = archive == std::string::npos ? 0 : archive + 3;
  return common.substr(0, std::max(after_folder, after_archive));
}

std::string python_or_architecture(const Package& package) {
  if (package.python && package.python->minor) return format("Python {}", *package.python->minor);
  return printable(package.architecture);
}

std::string mark_of(const Package& package) {
  if (package.chosen) return "*";
  return package.verdict == Verdict::broken ? "!" : " ";
}

std::string painted(const std::string& mark, const Style& style) {
  if (mark == "*") return style.green(mark);
  return mark == "!" ? style.red(mark) : mark;
}

// Selected packages first, archived ones last; else in the order of the bundle. When brief, only
// selected or unreadable ones; if there are none, all except archived ones.
std::vector<const Package*> ordered(const Inventory& inventory, Detail detail) {
  const bool has_chosen = std::any_of(inventory.packages.begin(), inventory.packages.end(),
                                      [](const Package& package) { return package.chosen; });
  std::vector<const Package*> list;
  for (const Package& package : inventory.packages) {
    const bool is_shown = has_chosen ? package.chosen || package.verdict == Verdict::broken
                                     : package.verdict != Verdict::archived;
    if (detail == Detail::full || is_shown) list.push_back(&package);
  }
  const auto rank = [](const Package* package) {
    return package->chosen ? 0 : package->verdict == Verdict::archived ? 2 : 1;
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const Package* a, const Package* b) { return rank(a) < rank(b); });
  return list;
}

std::string packages_table(const Inventory& inventory, Detail detail, const Style& style) {
  const std::vector<const Package*> packages = ordered(inventory, detail);
  if (packages.empty()) return {};
  const std::string common = common_place(packages);
  const bool has_digests = detail == Detail::full;
  const bool has_files = detail == Detail::full || style.width() >= text_columns;
  Rows rows = {{"", "component", "package", "version", "for", "size"}};
  if (has_digests) rows.front().emplace_back("sha256");
  if (has_files) rows.front().emplace_back("file");
  for (const Package* package : packages) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {mark_of(*package),
           package->component.empty() ? std::string(name(package->verdict))
                                      : printable(package->component),
           printable(package->name),
           printable(package->version),
           python_or_architecture(*package),
           human_size(package->size)};
    if (has_digests) row.push_back(package->sha256.empty() ? "-" : package->sha256);
    if (has_files)
      row.push_back(place_text(package->container, package->path).substr(common.size()));
  }
  for (std::size_t i = 0; i < packages.size(); ++i) {
    rows[i + 1][0] = painted(rows[i + 1][0], style);
    if (packages[i]->component.empty() || packages[i]->verdict == Verdict::archived)
      rows[i + 1][1] = style.dim(rows[i + 1][1]);
  }
  const std::string heading =
      common.empty() || !has_files ? "" : format("  in {}\n", trimmed(common));
  return heading + table(rows, style);
}

// How much of the data was read, and how to read more.
std::string reading_text(const Inspection& inspection) {
  std::uint64_t checked = 0;
  std::uint64_t unpacked = 0;
  for (const auto& [unused, contents] : inspection.contents) {
    checked += contents.files_checked;
    unpacked += contents.unpacked_size;
  }
  switch (inspection.depth) {
    case Depth::fast:
      return format("data not read (no digests; file lists as declared by the packages)");
    case Depth::digest:
      return format("payload not checked (see --deep)");
    case Depth::deep:
      break;
  }
  return format("payload checked: {} unpacked, {} compared with md5sums and RECORD",
                human_size(unpacked), counted(checked, "file"));
}

// "installable: topsrider-t2x 2.5.136, 4 of 26 packages; 15 others not needed; ..."
std::string verdict_lines(const Inspection& inspection, const InspectionFrame& frame,
                          const Style& style) {
  const BundleVerdict& verdict = frame.verdict;
  const StackMatch& stack = verdict.stack;
  std::vector<std::string> parts;
  if (stack.name.empty()) {
    parts.push_back(
        format("no packages of a known stack; {}", counted(verdict.packages, "package")));
  } else if (!stack.problem.empty()) {
    parts.push_back(printable(stack.problem));
  } else if (!stack.missing.empty()) {
    parts.push_back(format("{} lacks {}", stack.title(), joined(stack.missing, ", ")));
  } else {
    parts.push_back(
        format("{}, {} of {}", stack.title(), verdict.taken, counted(verdict.packages, "package")));
  }
  if (!stack.name.empty() && verdict.not_needed > 0)
    parts.push_back(format("{} not needed", counted(verdict.not_needed, "other")));
  if (verdict.archived > 0) parts.push_back(format("{} archived", verdict.archived));
  if (verdict.unreadable > 0) parts.push_back(format("{} unreadable", verdict.unreadable));
  if (verdict.errors > 0) parts.push_back(counted(verdict.errors, "error"));
  if (verdict.warnings > 0) parts.push_back(counted(verdict.warnings, "warning"));
  parts.push_back(reading_text(inspection));
  const std::string word = verdict.is_installable ? style.green(format("installable:"))
                                                  : style.red(format("not installable:"));
  return wrapped(joined(parts, "; "), concat(word, " "), style.width());
}

// Archives without selected packages are shown only with full detail.
std::string containers_table(const Inspection& inspection, const InspectionFrame& frame,
                             const Style& style) {
  Rows rows = {{"kind", "compression", "size", "sha256", "checksums", "container"}};
  std::string notes;
  for (const ContainerFile& file : inspection.containers) {
    const std::string place = place_text(file.container, file.path);
    if (frame.detail == Detail::brief && frame.verdict.left_alone.contains(place)) continue;
    rows.push_back({printable(file.kind), printable(file.compression), human_size(file.size),
                    file.sha256.empty() ? "-" : file.sha256,
                    file.checksums.empty() ? "-" : printable(joined(file.checksums, ", ")), place});
    if (!file.problem.empty()) {
      notes += wrapped(concat(printable(file.problem), " (", place, ")"),
                       concat("  ", style.red(format("incomplete:")), " "), style.width());
    }
    if (!file.start_script.empty()) {
      notes += wrapped(format("{}{}would run {}; topsctl only reads it", printable(file.label),
                              file.label.empty() ? "" : ": ", printable(file.start_script)),
                       concat("  ", style.dim(format("runfile:")), " "), style.width());
    }
  }
  if (rows.size() == 1) return {};
  return table(rows, style) + notes;
}

// Settings in scripts and configurations beside the packages.
std::string settings_text(const Inspection& inspection, Detail detail, const Style& style) {
  if (inspection.settings.empty()) return {};
  const std::size_t most =
      detail == Detail::full ? inspection.settings.size() : most_settings_shown;
  Rows rows = {{"variable", "times", "value"}};
  for (const auto& [setting, times] : inspection.settings) {
    if (rows.size() > most) break;
    rows.push_back({printable(setting.name), concat(times),
                    setting.value.empty() ? "-" : printable(setting.value)});
  }
  const std::size_t left = inspection.settings.size() - (rows.size() - 1);
  return concat(style.bold(format("variables set by files beside the packages")), "\n",
                table(rows, style),
                left == 0 ? std::string() : format("  {} more (--verbose)\n", left));
}

std::string others_text(const Inspection& inspection, const Style& style) {
  std::string text = format("  {}\n", counted(inspection.inventory.other_files, "other file"));
  if (inspection.others.empty()) return text;
  Rows rows = {{"size", "file"}};
  for (const OtherFile& file : inspection.others)
    rows.push_back({human_size(file.size), place_text(file.container, file.path)});
  return text + table(rows, style);
}

// The command that unpacks the first archive with a package that an install needs; empty: there is
// no such archive, so an install finds all packages.
std::string unpacking(const Inspection& inspection, const InspectionFrame& frame) {
  for (const Package& package : inspection.inventory.packages) {
    if (!package.chosen || package.container.empty()) continue;
    const std::string& archive = package.container.front();
    const bool is_given = frame.bundle.empty() || frame.bundle.ends_with(archive);
    const std::string path = typed_word(
        is_given ? (frame.bundle.empty() ? archive : frame.bundle)
                 : concat(frame.bundle, frame.bundle.ends_with('/') ? "" : "/", archive));
    return archive.ends_with(".run") ? format("sh {} --noexec --target DIR", path)
                                     : format("mkdir DIR && tar -xf {} -C DIR", path);
  }
  return {};
}

std::string next_step(const Inspection& inspection, const std::vector<Finding>& findings,
                      const InspectionFrame& frame) {
  const BundleVerdict& verdict = frame.verdict;
  if (verdict.errors > 0) {
    std::vector<Finding> meant;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(meant),
                 [&](const Finding& finding) { return !verdict.is_beside(finding); });
    const Finding worst = finding_groups(meant).front().first();
    const std::string text = verdict.errors == 1
                                 ? format("fix the error above: {}: ", printable(worst.title))
                                 : format("fix the {} errors above, first: {}: ", verdict.errors,
                                          printable(worst.title));
    return text + printable(worst.subject);
  }
  const std::string named = frame.bundle.empty() ? std::string("BUNDLE") : typed_word(frame.bundle);
  const std::string bundle = concat(named, frame.options);
  if (const std::string unpack = unpacking(inspection, frame);
      verdict.is_installable && !unpack.empty())
    return format("unpack it: {}; then topsctl install DIR{} --dry-run", unpack, frame.options);
  if (verdict.is_installable) return format("topsctl install {} --dry-run", bundle);
  if (!verdict.stack.problem.empty())
    return "use packages of one release only, or choose a release with --stack NAME@RELEASE";
  if (!verdict.stack.name.empty()) {
    const bool is_given = frame.options.find(" --stack ") != std::string::npos;
    return format("add the missing components, or choose those to install with {}--components {}",
                  is_given ? std::string() : concat("--stack ", verdict.stack.name, " "),
                  joined(verdict.stack.found, ","));
  }
  if (inspection.inventory.packages.empty())
    return format("give a directory, an archive or a .run file that has debs and wheels");
  return format("describe the stack in a file: topsctl stack new {} --output STACK.json", named);
}

// Commands stay whole, to be copied.
std::string next_lines(const std::string& step, const Style& style) {
  const std::string label = concat(style.bold(format("next:")), " ");
  const std::string whole = concat(label, step, "\n");
  const bool has_command = step.find("topsctl ") != std::string::npos;
  if (style.columns == 0 || display_width(step) + display_width(format("next:")) < style.columns)
    return whole;
  if (!has_command) return wrapped(step, label, style.columns, 2);
  const auto second = step.find("; ");
  return second == std::string::npos
             ? whole
             : concat(label, step.substr(0, second + 1), "\n  ", step.substr(second + 2), "\n");
}

}  // namespace

std::string render_inspection(const Inspection& inspection, const std::vector<Finding>& findings,
                              const InspectionFrame& frame, const Style& style) {
  std::string text = verdict_lines(inspection, frame, style);
  text += packages_table(inspection.inventory, frame.detail, style);
  if (frame.detail == Detail::full) text += others_text(inspection, style);
  text += containers_table(inspection, frame, style);
  text += settings_text(inspection, frame.detail, style);
  std::vector<Finding> shown;
  std::copy_if(findings.begin(), findings.end(), std::back_inserter(shown), [&](const Finding& f) {
    return frame.detail == Detail::full ||
           (f.severity > Severity::info && !frame.verdict.is_beside(f));
  });
  text += render_findings(shown, frame.detail, style);
  if (shown.size() < findings.size()) {
    text += format("use --verbose to show {}\n",
                   frame.verdict.beside > 0 ? format("{}, and {} on packages that are not needed",
                                                     counted(frame.verdict.notes, "note"),
                                                     counted(frame.verdict.beside, "finding"))
                                            : counted(frame.verdict.notes, "note"));
  }
  for (const TextSection& section : frame.sections) {
    text += concat(style.bold(section.title), "\n", table(section.rows, style));
  }
  return text + next_lines(next_step(inspection, findings, frame), style);
}

}  // namespace topsctl

// The text of `topsctl inspect`: packages, containers, stacks, and what to do next.
#include "cli/inspection_text.hpp"

#include <algorithm>
#include <numeric>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/finding_groups.hpp"
#include "topsctl/model/place.hpp"

namespace topsctl {

namespace {

constexpr std::size_t narrowest_path = 32;
constexpr std::size_t digest_digits = 12;

using Rows = std::vector<std::vector<std::string>>;

// Shortens the cells of the last column so that the table fits, while they stay readable.
void fit_last_column(Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  // table() puts two blanks before each cell.
  const std::size_t others =
      std::accumulate(widths.begin(), widths.end() - 1, 2 * widths.size(), std::plus<>());
  const std::size_t room =
      std::max(text_columns > others ? text_columns - others : 0, narrowest_path);
  for (auto& row : rows) row.back() = shortened_in_the_middle(row.back(), room);
}

// The folders and archives that all of these files lie in: it would take the room of what differs.
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

// Those an install takes first, archived ones last; else in the order of the bundle.
std::vector<const Package*> ordered(const Inventory& inventory, Detail detail) {
  std::vector<const Package*> list;
  for (const Package& package : inventory.packages) {
    if (detail == Detail::full || package.verdict != Verdict::archived) list.push_back(&package);
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
  Rows rows = {{"", "component", "package", "version", "for", "size", "sha256", "file"}};
  for (const Package* package : packages) {
    rows.push_back({mark_of(*package),
                    package->component.empty() ? std::string(name(package->verdict))
                                               : printable(package->component),
                    printable(package->name), printable(package->version),
                    python_or_architecture(*package), human_size(package->size),
                    package->sha256.empty() ? "-" : package->sha256.substr(0, digest_digits),
                    place_text(package->container, package->path).substr(common.size())});
  }
  fit_last_column(rows);
  for (std::size_t i = 0; i < packages.size(); ++i) {
    rows[i + 1][0] = painted(rows[i + 1][0], style);
    if (packages[i]->component.empty() || packages[i]->verdict == Verdict::archived)
      rows[i + 1][1] = style.dim(rows[i + 1][1]);
  }
  const std::string heading =
      common.empty()
          ? ""
          : format("  in {}\n", shortened_in_the_middle(trimmed(common), text_columns - 5));
  return heading + table(rows, style);
}

std::string counts(const Inspection& inspection, Detail detail, const Style& style) {
  const Inventory& inventory = inspection.inventory;
  std::uint64_t bytes = 0;
  std::size_t archived = 0;
  bool has_chosen = false;
  for (const Package& package : inventory.packages) {
    bytes += package.size;
    archived += package.verdict == Verdict::archived ? 1U : 0U;
    has_chosen = has_chosen || package.chosen;
  }
  std::string text = concat("  ", counted(inventory.packages.size(), "package"), ", ",
                            human_size(bytes), "; ", counted(inventory.other_files, "other file"));
  text += has_chosen ? format("; {} taken by an install (wheels: the one for the host's Python)\n",
                              style.green("*"))
                     : std::string("\n");
  if (archived > 0 && detail == Detail::brief) {
    text +=
        format("  {}{} never chosen; --verbose lists {}\n", counted(archived, "archived package"),
               archived == 1 ? " is" : " are", archived == 1 ? "it" : "them");
  }
  if (inspection.depth == Depth::fast) {
    text += "  read without the data: no digests, and the lists of files are what packages claim\n";
  }
  std::uint64_t checked = 0;
  std::uint64_t unpacked = 0;
  for (const auto& [unused, contents] : inspection.contents) {
    checked += contents.files_checked;
    unpacked += contents.unpacked_size;
  }
  if (inspection.depth == Depth::deep) {
    text += format("  all data read: {} unpacked, {}{} compared with md5sums and RECORD\n",
                   human_size(unpacked), checked, checked == 1 ? " file" : " files");
  }
  return text;
}

std::string containers_table(const Inspection& inspection, const Style& style) {
  if (inspection.containers.empty()) return {};
  Rows rows = {{"kind", "compression", "size", "sha256", "checksums", "container"}};
  std::string notes;
  for (const ContainerFile& file : inspection.containers) {
    const std::string place = place_text(file.container, file.path);
    rows.push_back({printable(file.kind), printable(file.compression), human_size(file.size),
                    file.sha256.empty() ? "-" : file.sha256.substr(0, digest_digits),
                    file.checksums.empty() ? "-" : printable(joined(file.checksums, ", ")), place});
    if (!file.problem.empty()) {
      notes += wrapped(concat(printable(file.problem), " (", place, ")"),
                       concat("  ", style.red("cut off:"), " "), text_columns);
    }
    if (!file.start_script.empty()) {
      notes += wrapped(format("{}{}would run {}; topsctl only reads it", printable(file.label),
                              file.label.empty() ? "" : ": ", printable(file.start_script)),
                       concat("  ", style.dim("runfile:"), " "), text_columns);
    }
  }
  fit_last_column(rows);
  return table(rows, style) + notes;
}

std::string stack_lines(const std::vector<StackMatch>& stacks, const Style& style) {
  std::string text;
  for (const StackMatch& match : stacks) {
    if (match.is_complete()) {
      text += wrapped(format("stack {} ({})", match.name, joined(match.found, ", ")),
                      concat(style.green("complete:"), " "), text_columns);
    } else if (!match.found.empty()) {
      text += wrapped(format("stack {} lacks {}", match.name, joined(match.missing, ", ")),
                      concat(style.yellow("incomplete:"), " "), text_columns);
    }
  }
  return text.empty() ? "no known stack is in it\n" : text;
}

std::string next_step(const std::vector<Finding>& findings, const InspectionFrame& frame) {
  const std::size_t errors = count_from(findings, Severity::error);
  if (errors > 0) {
    const Finding worst = finding_groups(findings).front().first();
    const std::string text = format("mend {} above{}{}: ", counted(errors, "error"),
                                    errors == 1 ? ": " : ", first: ", printable(worst.title));
    const std::size_t used = display_width(text) + std::string_view("next: ").size();
    const std::size_t room = text_columns > used ? text_columns - used : 0;
    return text + shortened_in_the_middle(printable(worst.subject), std::max(room, narrowest_path));
  }
  const std::string bundle = frame.bundle.empty() ? "BUNDLE" : typed_word(frame.bundle);
  const auto is_partial = [](const StackMatch& match) { return !match.found.empty(); };
  const auto is_complete = [](const StackMatch& match) { return match.is_complete(); };
  if (std::any_of(frame.stacks.begin(), frame.stacks.end(), is_complete))
    return format("topsctl install {} --dry-run", bundle);
  const auto partial = std::find_if(frame.stacks.begin(), frame.stacks.end(), is_partial);
  if (partial != frame.stacks.end()) {
    return format("add what is missing, or topsctl install {} --components {} --dry-run", bundle,
                  joined(partial->found, ","));
  }
  return "describe your own stack in a file and give it with --stack FILE";
}

}  // namespace

std::string render_inspection(const Inspection& inspection, const std::vector<Finding>& findings,
                              const InspectionFrame& frame, const Style& style) {
  std::string text = packages_table(inspection.inventory, frame.detail, style);
  text += counts(inspection, frame.detail, style);
  text += containers_table(inspection, style);
  text += render_findings(findings, frame.detail, style);
  text += stack_lines(frame.stacks, style);
  for (const TextSection& section : frame.sections) {
    text += concat(style.bold(section.title), "\n", table(section.rows, style));
  }
  return text + concat(style.bold("next:"), " ", next_step(findings, frame), "\n");
}

}  // namespace topsctl

// The Markdown report on a bundle, section by section.
#include "topsctl/engine/reporting/markdown_report.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "engine/reporting/bundle_file_list.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/inspection/finding_groups.hpp"
#include "topsctl/model/place.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_evidence = 20;
constexpr std::size_t biggest = 20;

using Row = std::vector<std::string>;

// The cells are Markdown already. Nothing for no rows.
std::string section(const std::string& title, const Row& heading, const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  const auto line = [](const Row& cells) { return concat("| ", joined(cells, " | "), " |\n"); };
  std::string text =
      concat("\n## ", title, "\n\n", line(heading), line(Row(heading.size(), "---")));
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) text += line(rows[i]);
  if (rows.size() > most_rows) text += format("\nand {} more\n", rows.size() - most_rows);
  return text;
}

std::string size_cell(std::uint64_t bytes) {
  return human_size(bytes);
}

std::string place_cell(const Package& package) {
  return markdown_text(place_text(package.container, package.path));
}

std::string digest_cell(const std::string& sha256) {
  return sha256.empty() ? "-" : markdown_text(sha256);
}

std::string python_cell(const Package& package) {
  if (!package.python) return markdown_text(package.architecture);
  return package.python->minor ? format("Python {}", markdown_text(*package.python->minor))
                               : std::string("any Python");
}

std::string summary(const Inspection& inspection, const std::vector<Finding>& findings) {
  const std::vector<Package>& packages = inspection.inventory.packages;
  std::vector<Row> rows;
  for (const PackageKind kind : {PackageKind::deb, PackageKind::wheel, PackageKind::runfile}) {
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (const Package& package : packages) {
      if (package.kind != kind) continue;
      ++count;
      bytes += package.size;
    }
    if (count > 0)
      rows.push_back({format("packages: {}", name(kind)), concat(count), size_cell(bytes)});
  }
  std::uint64_t bytes = 0;
  for (const ContainerFile& file : inspection.containers) bytes += file.size;
  rows.push_back(
      {"archives that contain packages", concat(inspection.containers.size()), size_cell(bytes)});
  bytes = 0;
  for (const OtherFile& file : inspection.others) bytes += file.size;
  const std::uint64_t others =
      std::max<std::uint64_t>(inspection.inventory.other_files, inspection.others.size());
  rows.push_back({"other files", concat(others), size_cell(bytes)});
  std::uint64_t files = 0;
  bytes = 0;
  for (const Package& package : packages) {
    if (!package.files) continue;
    for (const PayloadEntry& entry : *package.files) {
      if (entry.type != PayloadEntry::Type::file) continue;
      ++files;
      bytes += entry.size;
    }
  }
  if (files > 0) rows.push_back({"files in packages", concat(files), size_cell(bytes)});
  for (const Severity severity :
       {Severity::critical, Severity::error, Severity::warning, Severity::info}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.severity == severity;
    });
    rows.push_back({format("findings: {}", name(severity)), concat(count), "-"});
  }
  return section("Summary", {"what", "count", "size"}, rows);
}

std::string components(const Inspection& inspection, const StackMatch& stack) {
  std::vector<Row> rows;
  for (const std::string& id : stack.found) {
    for (const Package& package : inspection.inventory.packages) {
      if (!package.chosen || package.stack != stack.name || package.component != id) continue;
      rows.push_back({markdown_text(id), markdown_text(package.name),
                      markdown_text(package.version), python_cell(package), size_cell(package.size),
                      digest_cell(package.sha256), place_cell(package)});
    }
  }
  for (const std::string& id : stack.missing)
    rows.push_back({markdown_text(id), "**missing**", "-", "-", "-", "-", "-"});
  return section(format("Components of stack {}{}", markdown_text(stack.title()),
                        stack.is_complete() ? "" : " (incomplete)"),
                 {"component", "package", "version", "for", "size", "sha256", "file"}, rows);
}

// Packages that are neither components nor archived.
std::string further_packages(const Inspection& inspection) {
  std::vector<Row> rows;
  for (const Package& package : inspection.inventory.packages) {
    if (package.chosen || package.verdict == Verdict::archived) continue;
    const bool is_broken = package.verdict == Verdict::broken;
    rows.push_back({package.name.empty() ? "-" : markdown_text(package.name),
                    package.version.empty() ? "-" : markdown_text(package.version),
                    std::string(name(package.kind)), size_cell(package.size),
                    digest_cell(package.sha256), place_cell(package),
                    is_broken ? format("**broken**: {}", markdown_text(package.problem)) : "-"});
  }
  return section("Other packages",
                 {"package", "version", "kind", "size", "sha256", "file", "remark"}, rows);
}

std::string configurations(const Inspection& inspection) {
  std::vector<std::pair<Setting, std::uint64_t>> settings;
  for (const auto& setting : all_settings(inspection)) settings.push_back(setting);
  std::stable_sort(settings.begin(), settings.end(), [](const auto& a, const auto& b) {
    return a.first.name != b.first.name ? a.first.name < b.first.name : a.second > b.second;
  });
  std::vector<Row> rows;
  for (const auto& [setting, times] : settings) {
    rows.push_back(
        {markdown_text(setting.name),
         setting.value.empty() ? "(empty)" : markdown_text(shortened(setting.value, 200)),
         concat(times)});
  }
  return section("ECCL, ENFLAME and TOPS configurations", {"variable", "value", "times"}, rows);
}

std::string files_section(const std::string& title, const std::vector<BundleFile>& files) {
  std::vector<Row> rows;
  for (const BundleFile& file : files)
    rows.push_back({markdown_text(file.place), size_cell(file.size)});
  return section(title, {"file", "size"}, rows);
}

std::string wheels(const Inspection& inspection) {
  std::map<std::string, std::vector<const Package*>> by_minor;
  for (const Package& package : inspection.inventory.packages) {
    const bool is_usable =
        package.verdict != Verdict::archived && package.verdict != Verdict::broken;
    if (package.kind == PackageKind::wheel && package.python && is_usable)
      by_minor[package.python->minor.value_or("")].push_back(&package);
  }
  std::vector<std::string> minors;
  for (const auto& [minor, unused] : by_minor) minors.push_back(minor);
  std::sort(minors.begin(), minors.end(), [](const std::string& a, const std::string& b) {
    return compare_debian_versions(a, b) < 0;
  });
  std::vector<Row> rows;
  for (const std::string& minor : minors) {
    for (const Package* package : by_minor[minor]) {
      rows.push_back({minor.empty() ? "any" : markdown_text(minor), markdown_text(package->name),
                      markdown_text(package->version), size_cell(package->size),
                      place_cell(*package)});
    }
  }
  return section("Wheels by Python version", {"Python", "package", "version", "size", "file"},
                 rows);
}

std::string archived(const Inspection& inspection) {
  std::vector<Row> rows;
  for (const Package& package : inspection.inventory.packages) {
    if (package.verdict != Verdict::archived) continue;
    rows.push_back({markdown_text(package.name), markdown_text(package.version),
                    size_cell(package.size), place_cell(package)});
  }
  return section("Archived versions, never selected", {"package", "version", "size", "file"}, rows);
}

std::string containers(const Inspection& inspection) {
  std::vector<Row> rows;
  for (const ContainerFile& file : inspection.containers) {
    rows.push_back({markdown_text(place_text(file.container, file.path)), markdown_text(file.kind),
                    markdown_text(file.compression), size_cell(file.size), digest_cell(file.sha256),
                    file.checksums.empty() ? "-" : markdown_text(joined(file.checksums, ", ")),
                    file.problem.empty() ? "-" : markdown_text(file.problem)});
  }
  return section("Archives that contain packages",
                 {"file", "kind", "compression", "size", "sha256", "checksums", "problem"}, rows);
}

std::string finding_text(const Finding& finding) {
  std::string text = concat("- ", markdown_text(finding.subject), "\n");
  for (std::size_t i = 0; i < std::min(finding.evidence.size(), most_evidence); ++i) {
    const Evidence& piece = finding.evidence[i];
    text += format("  - evidence: {}{}{}\n", markdown_text(piece.source),
                   piece.line > 0 ? format(", line {}", piece.line) : "",
                   piece.text.empty() ? "" : concat(": ", markdown_text(piece.text)));
  }
  if (finding.evidence.size() > most_evidence)
    text += format("  - and {} more\n", finding.evidence.size() - most_evidence);
  return text;
}

std::string findings_section(const std::vector<Finding>& findings) {
  std::string text = "\n## Findings\n";
  if (findings.empty()) return text + "\nNone.\n";
  for (const FindingGroup& group : finding_groups(findings)) {
    const Finding& first = group.first();
    text += concat("\n### ", name(first.severity), ": ", markdown_text(first.title), " (",
                   markdown_text(first.id), ")\n\n");
    for (std::size_t i = 0; i < std::min(group.findings.size(), most_rows); ++i)
      text += finding_text(*group.findings[i]);
    if (group.findings.size() > most_rows)
      text += format("- and {} more\n", group.findings.size() - most_rows);
    if (!first.cause.empty()) text += format("\nCause: {}\n", markdown_text(first.cause));
    if (!first.remedy.text.empty())
      text += format("\nRemedy: {}\n", markdown_text(first.remedy.text));
    if (!first.remedy.command.empty())
      text += format("\nCommand: {}\n", markdown_text(first.remedy.command));
  }
  return text;
}

std::string_view depth_sentence(Depth depth) {
  switch (depth) {
    case Depth::fast:
      return "Payloads were not read: there are no digests, and the file lists are what the "
             "packages claim.";
    case Depth::digest:
      return "The digest of each package was computed, but payloads were not read.";
    case Depth::deep:
      return "All data was read, once.";
  }
  return "";
}

}  // namespace

namespace {

// Whether a list would begin here: "1. ", "2) ".
bool is_list_mark(std::string_view text, std::size_t at) {
  const bool is_mark = at > 0 && (text[at] == '.' || text[at] == ')');
  return is_mark && is_digits(text.substr(0, at)) && (at + 1 == text.size() || text[at + 1] == ' ');
}

bool is_word_byte(std::string_view text, std::size_t at) {
  const auto c = at < text.size() ? static_cast<unsigned char>(text[at]) : '\0';
  return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string markdown_character(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (c == '&') return "&amp;";
  // Mentions and addresses become links by themselves.
  if (c == '@') return "&#64;";
  if (c == ':' && text.substr(at).starts_with("://")) return "&#58;";
  if (c == '.' && at >= 3 && lower_case(text.substr(at - 3, 3)) == "www") return "&#46;";
  // Within a word it is not markup (CommonMark 6.2), and names stay legible.
  if (c == '_' && at > 0 && is_word_byte(text, at - 1) && is_word_byte(text, at + 1)) return "_";
  const bool is_markup = std::string_view("\\`*_[]|~#$!").find(c) != std::string_view::npos;
  const bool begins_block = at == 0 && std::string_view("-+=").find(c) != std::string_view::npos;
  if (is_markup || begins_block || is_list_mark(text, at)) return {'\\', c};
  return {c};
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string clean = printable(text);
  const std::string_view body = trimmed(clean);
  std::string out;
  for (std::size_t i = 0; i < body.size(); ++i) out += markdown_character(body, i);
  return out;
}

std::string markdown_report(const Inspection& inspection, const std::vector<Finding>& findings,
                            const MarkdownFrame& frame) {
  std::string text =
      format("# Bundle {}\n\nGenerated by topsctl {}{}. {}\n",
             markdown_text(frame.title.empty() ? "report" : frame.title), topsctl_version(),
             frame.created_at.empty() ? "" : format(" at {}", markdown_text(frame.created_at)),
             depth_sentence(inspection.depth));
  text += summary(inspection, findings);
  for (const StackMatch& stack : frame.stacks) {
    if (!stack.found.empty()) text += components(inspection, stack);
  }
  text += further_packages(inspection);
  text += configurations(inspection);
  text += files_section("Tools and scripts for distributed training", training_files(inspection));
  text += files_section("Documents", document_files(inspection));
  text += files_section("Largest files", biggest_files(inspection, biggest));
  text += containers(inspection);
  text += wheels(inspection);
  text += archived(inspection);
  return text + findings_section(findings);
}

}  // namespace topsctl

// Findings as text, and the fitting of text into columns.
#include "cli/finding_text.hpp"

#include <algorithm>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/finding_groups.hpp"

namespace topsctl {

namespace {

constexpr std::size_t brief_evidence = 3;
constexpr std::size_t brief_subjects = 5;
constexpr std::size_t longest_evidence = 240;  // columns, when brief

// The characters of printable text, each as its bytes.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> list;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    list.push_back(text.substr(at, end - at));
    at = end;
  }
  return list;
}

// Units without line breaks: a word, and in Chinese text each character with the punctuation after
// it.
std::vector<std::string> unbroken_units(std::string_view word) {
  constexpr std::string_view closing = "，。、；：！？）》」』”’";
  constexpr std::string_view opening = "（《「『“‘";
  const auto is_one_of = [](std::string_view character, std::string_view list) {
    return character.size() > 1 && list.find(character) != std::string_view::npos;
  };
  std::vector<std::string> units;
  std::string_view before;
  for (const std::string_view character : characters(word)) {
    const bool is_border = display_width(character) > 1 || display_width(before) > 1;
    const bool may_break =
        is_border && !is_one_of(character, closing) && !is_one_of(before, opening);
    if (units.empty() || may_break) units.emplace_back();
    units.back() += character;
    before = character;
  }
  if (units.empty()) units.emplace_back();
  return units;
}

std::string without_colours(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size());
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

std::string severity_text(Severity severity, const Style& style) {
  const std::string text(name(severity));
  switch (severity) {
    case Severity::critical:
      return style.bold(style.red(text));
    case Severity::error:
      return style.red(text);
    case Severity::warning:
      return style.yellow(text);
    case Severity::info:
      return style.dim(text);
  }
  return text;
}

std::string evidence_text(const Evidence& evidence, const std::string& subject) {
  const std::string source =
      evidence.source == subject ? "" : printable(translated_text(evidence.source));
  std::string text = source;
  if (evidence.line > 0)
    text = source.empty() ? format("line {}", evidence.line) : concat(source, ":", evidence.line);
  if (!text.empty() && !evidence.text.empty()) text += ": ";
  return text + printable(translated_text(evidence.text));
}

// Words stay whole: a path may be wider than the terminal.
std::string brief_lines(const std::string& text, const std::string& indent, const Style& style) {
  return wrapped(shortened_in_the_middle(text, longest_evidence), indent, style.width());
}

std::string evidence_lines(const Finding& finding, const std::string& indent, Detail detail,
                           const Style& style) {
  std::string text;
  const std::size_t most = detail == Detail::full ? finding.evidence.size() : brief_evidence;
  for (std::size_t i = 0; i < std::min(most, finding.evidence.size()); ++i) {
    const std::string line = evidence_text(finding.evidence[i], finding.subject);
    text += detail == Detail::full ? concat(indent, line, "\n") : brief_lines(line, indent, style);
  }
  if (finding.evidence.size() > most)
    text += format("{}and {} more\n", indent, finding.evidence.size() - most);
  return text;
}

std::string remedy_lines(const Remedy& remedy, const Style& style) {
  std::string text;
  if (!remedy.text.empty()) {
    text += wrapped(printable(remedy.text), concat("  ", style.bold("hint:"), " "), style.width());
  }
  if (!remedy.command.empty())
    text += concat("  ", style.bold(format("run:")), "  ", printable(remedy.command), "\n");
  return text;
}

std::string block(const FindingGroup& group, Detail detail, const Style& style) {
  const Finding& first = group.first();
  const std::size_t count = group.findings.size();
  const std::string head = concat(severity_text(first.severity, style), style.dim("["),
                                  style.dim(printable(first.id)), style.dim("]:"), " ");
  const std::string title = printable(first.title);
  if (count == 1) {
    const std::string line = concat(title, ": ", printable(first.subject));
    const bool fits = display_width(without_colours(head)) + display_width(line) <= style.width();
    std::string text =
        fits ? concat(head, line, "\n")
             : concat(wrapped(title, head, style.width(), 2), "  ", printable(first.subject), "\n");
    return concat(text, evidence_lines(first, "  ", detail, style),
                  remedy_lines(first.remedy, style));
  }
  std::string text = wrapped(format("{} ({} times)", title, count), head, style.width(), 2);
  const std::size_t most = detail == Detail::full ? count : brief_subjects;
  for (std::size_t i = 0; i < std::min(most, count); ++i) {
    const Finding& finding = *group.findings[i];
    text += concat("  ", printable(finding.subject), "\n",
                   evidence_lines(finding, "    ", detail, style));
  }
  if (count > most) text += format("  and {} more\n", count - most);
  return text + remedy_lines(first.remedy, style);
}

}  // namespace

std::string render_findings(const std::vector<Finding>& findings, Detail detail,
                            const Style& style) {
  std::string text;
  for (const FindingGroup& group : finding_groups(findings)) text += block(group, detail, style);
  return text;
}

std::string shortened_in_the_middle(std::string_view text, std::size_t columns) {
  constexpr std::string_view gap = "...";
  if (display_width(text) <= columns || columns <= gap.size()) return std::string(text);
  const std::vector<std::string_view> list = characters(text);
  const std::size_t room = columns - gap.size();
  const std::size_t head_room = room / 3;
  std::string head;
  std::size_t used = 0;
  for (const std::string_view character : list) {
    if (used + display_width(character) > head_room) break;
    used += display_width(character);
    head += character;
  }
  std::size_t from = list.size();
  while (from > 0 && used + display_width(list[from - 1]) <= room) {
    used += display_width(list[--from]);
  }
  std::string tail;
  for (std::size_t i = from; i < list.size(); ++i) tail += list[i];
  return concat(head, gap, tail);
}

std::string wrapped(std::string_view text, const std::string& first, std::size_t columns,
                    std::optional<std::size_t> hanging) {
  const std::size_t begins = display_width(without_colours(first));
  std::size_t indent = begins;  // of the line
  std::string out = first;
  std::size_t used = indent;
  for (const std::string& word : split(trimmed(text), ' ')) {
    std::size_t blanks = 1;
    for (const std::string& unit : unbroken_units(word)) {
      if (used > indent && used + blanks + display_width(without_colours(unit)) > columns) {
        indent = hanging.value_or(begins);
        out += concat("\n", std::string(indent, ' '));
        used = indent;
      }
      if (used > indent && blanks > 0) {
        out.push_back(' ');
        ++used;
      }
      out += unit;
      used += display_width(without_colours(unit));
      blanks = 0;
    }
  }
  return out + "\n";
}

std::string fitted_lines(std::string_view text, const Style& style) {
  if (style.columns == 0) return std::string(text);
  std::string out;
  std::vector<std::string> lines = split(text, '\n');
  const bool ends_with_line = lines.back().empty();
  if (ends_with_line) lines.pop_back();
  for (const std::string& line : lines) {
    const std::string plain = without_colours(line);
    const std::size_t indent = std::min(plain.find_first_not_of(' '), plain.size());
    const std::string_view first = std::string_view(plain).substr(indent);
    const bool is_command = first.starts_with(format("next:")) || first.starts_with(format("run:"));
    // A long path is easier to copy from one line.
    bool is_path = false;
    for (const std::string& word : split(first, ' ')) {
      for (const std::string& unit : unbroken_units(word))
        is_path = is_path || display_width(unit) + indent + 2 > style.columns;
    }
    if (display_width(plain) <= style.columns || is_command || is_path) {
      out += concat(line, "\n");
    } else {
      out += wrapped(std::string_view(line).substr(indent), std::string(indent, ' '), style.columns,
                     indent + 2);
    }
  }
  if (!ends_with_line) out.pop_back();
  return out;
}

}  // namespace topsctl

// Reports as text for people.
#include "cli/render.hpp"

#include <algorithm>
#include <numeric>

#include "cli/finding_text.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string paint(bool colors, const char* code, const std::string& text) {
  return colors ? concat("\033[", code, "m", text, "\033[0m") : text;
}

std::string state_line(const TransactionReport& report) {
  if (!report.message.empty() || !report.outcome) return std::string(translated(report.message));
  return std::string(name(*report.outcome));
}

std::string version_or_dash(const std::optional<std::string>& version) {
  return version.value_or("-");
}

std::string status_mark(CheckStatus status, const Style& style) {
  switch (status) {
    case CheckStatus::pass:
      return style.green(format("pass"));
    case CheckStatus::warn:
      return style.yellow(format("warn"));
    case CheckStatus::fail:
      return style.red(format("fail"));
    case CheckStatus::skipped:
      return style.dim(format("skip"));
    case CheckStatus::unknown:
      return style.yellow(format("unknown"));
  }
  return "unknown";
}

std::size_t visible_width(const std::string& cell) {
  std::string plain;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '\033') {
      i = std::min(cell.find('m', i), cell.size());
    } else {
      plain.push_back(cell[i]);
    }
  }
  return display_width(plain);
}

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::size_t> widths_of(const Rows& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], visible_width(row[i]));
  }
  return widths;
}

// Two blanks precede each cell.
std::size_t width_of(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
}

// For the parts of a row in further lines.
constexpr std::size_t further_indent = 4;

// Columns in one line.
struct ColumnGroup {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t indent = 0;  // before the first one
};

// For Latin letters: text in other scripts may break anywhere.
std::size_t longest_word(const std::string& cell) {
  constexpr unsigned char first_beyond_ascii = 0x80;
  std::size_t longest = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '\033') {
      i = std::min(cell.find('m', i), cell.size());
    } else if (cell[i] == ' ' || static_cast<unsigned char>(cell[i]) >= first_beyond_ascii) {
      length = 0;
    } else {
      longest = std::max(longest, ++length);
    }
  }
  return longest;
}

std::vector<ColumnGroup> groups_of(const std::vector<std::size_t>& widths, std::size_t columns) {
  constexpr std::size_t readable = 24;  // text of the last column may continue in further lines
  std::vector<ColumnGroup> groups = {{}};
  std::size_t used = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const bool is_last = i + 1 == widths.size();
    const std::size_t needed = 2 + (is_last ? std::min(readable, widths[i]) : widths[i]);
    if (columns != 0 && used + needed > columns && groups.back().end > groups.back().first) {
      groups.push_back({i, i, further_indent});
      used = further_indent;
    }
    groups.back().end = i + 1;
    used += needed;
  }
  return groups;
}

// Continues text on separate lines below a row, or below its beginning if its words fit there.
std::string going_on(const std::string& cell, std::size_t start, std::size_t columns) {
  constexpr std::size_t below = further_indent + 2;
  const bool fits = start + longest_word(cell) <= columns || start <= below;
  const std::string indent(fits ? start : below, ' ');
  const std::size_t room = columns > indent.size() ? columns - indent.size() : 1;
  std::vector<std::string> lines = split(wrapped(cell, "", room), '\n');
  lines.pop_back();
  return concat(fits ? "" : concat("\n", indent), joined(lines, concat("\n", indent)));
}

// The cells of one group; text of the last column may take further lines.
std::string line_of(const std::vector<std::string>& row, const ColumnGroup& group,
                    const std::vector<std::size_t>& widths, const Style& style, bool is_heading) {
  std::string line(group.indent + 1, ' ');
  std::size_t start = group.indent;
  bool is_empty = true;
  for (std::size_t i = group.first; i < std::min(group.end, row.size()); ++i) {
    const std::string& cell = row[i];
    is_empty = is_empty && cell.empty();
    start += 2;
    const bool may_go_on = i + 1 == widths.size() && style.columns != 0 && !is_heading &&
                           start + visible_width(cell) > style.columns;
    if (may_go_on) {
      line += concat(" ", going_on(cell, start, style.columns));
      continue;
    }
    line += concat(" ", is_heading ? style.dim(cell) : cell);
    if (i + 1 < std::min(group.end, row.size())) {
      line += std::string(widths[i] - visible_width(cell) + 1, ' ');
    }
    start += widths[i];
  }
  if (is_empty) return {};
  // Removes blanks before text that continues on the next line.
  for (std::size_t at = line.find(" \n"); at != std::string::npos; at = line.find(" \n"))
    line.erase(at, 1);
  return concat(line, "\n");
}

}  // namespace

std::string Style::bold(const std::string& text) const {
  return paint(colors, "1", text);
}
std::string Style::green(const std::string& text) const {
  return paint(colors, "32", text);
}
std::string Style::yellow(const std::string& text) const {
  return paint(colors, "33", text);
}
std::string Style::red(const std::string& text) const {
  return paint(colors, "31", text);
}
std::string Style::dim(const std::string& text) const {
  return paint(colors, "2", text);
}

std::string table(const std::vector<std::vector<std::string>>& given, const Style& style) {
  Rows rows = given;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::string& cell : rows[r]) cell = r == 0 ? translated(cell) : translated_text(cell);
  }
  const std::vector<std::size_t> widths = widths_of(rows);
  const std::vector<ColumnGroup> groups =
      groups_of(widths, style.columns != 0 && width_of(widths) > style.columns ? style.columns : 0);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const ColumnGroup& group : groups) text += line_of(rows[r], group, widths, style, r == 0);
  }
  return text;
}

std::size_t table_width(const std::vector<std::vector<std::string>>& rows) {
  return width_of(widths_of(rows));
}

std::string labelled_lines(const std::vector<std::pair<std::string, std::string>>& facts,
                           const Style& style) {
  std::size_t width = 0;
  for (const auto& [label, value] : facts) width = std::max(width, display_width(label));
  std::string text;
  for (const auto& [label, value] : facts) {
    std::string first = concat(label, std::string(width - display_width(label) + 2, ' '));
    for (const std::string& line : split(value, '\n')) {
      std::string lines = wrapped(line, first, style.width(), width + 2);
      if (first.starts_with(label)) lines.replace(0, label.size(), style.bold(label));
      text += lines;
      first = std::string(width + 2, ' ');
    }
  }
  return text;
}

std::string render_error(const Error& error, const Style& style) {
  std::string text = concat(style.red("error:"), " ");
  const std::vector<std::string> lines = split(error.message(), '\n');
  if (error.context().empty()) {
    text += lines.front() + "\n";
  } else {
    for (std::size_t i = 0; i < error.context().size(); ++i) {
      text += concat(i == 0 ? "" : "  ", error.context()[i], "\n");
    }
    text += concat("  ", lines.front(), "\n");
  }
  for (std::size_t i = 1; i < lines.size(); ++i) text += concat("  | ", lines[i], "\n");
  if (!error.hint().empty()) text += concat(style.bold("hint: "), " ", error.hint(), "\n");
  return fitted_lines(text, style);
}

std::string render_plan(const Plan& plan, const Style& style) {
  std::string text = format(
      "{} for {}{}\n", style.bold(format("plan")),
      plan.stack.empty()     ? plan.command
      : plan.release.empty() ? plan.stack
                             : concat(plan.stack, " ", plan.release),
      plan.python.empty() ? "" : format(", Python {} ({})", plan.python_version, plan.python));
  if (!plan.packages.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"component", "package", "now", "then", "action", "size"}};
    for (const PlannedPackage& package : plan.packages) {
      rows.push_back({package.component, package.name, version_or_dash(package.before),
                      package.after, std::string(name(package.action)), human_size(package.size)});
    }
    text += table(rows, style);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    text += format("  step {} of {}: {}\n", i + 1, plan.steps.size(),
                   translated(plan.steps[i].description));
    for (const std::string& effect : plan.steps[i].not_restored) {
      text += concat("      ", style.yellow(format("rollback cannot undo:")), " ",
                     translated(effect), "\n");
    }
  }
  if (plan.environment && !plan.steps.empty()) {
    std::vector<std::string> names;
    for (const EnvironmentVariable& variable : plan.environment->variables)
      names.push_back(variable.name);
    for (const SearchPath& path : plan.environment->paths) names.push_back(path.name);
    text += format("  {} sets {}\n", plan.environment->file, joined(names, " "));
  }
  const bool keeps = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<KeepWriteSet>(step.action);
  });
  if (keeps && plan.kind == TransactionKind::install && !plan.knowledge.reason.empty())
    text += format("  write set: {} ({})\n", plan.knowledge.known, plan.knowledge.reason);
  return fitted_lines(text, style);
}

namespace {

// The last output of the programs of failed checks.
std::string outputs_of(const std::vector<CheckResult>& checks, const Style& style) {
  constexpr std::size_t most_lines = 20;
  std::string text;
  for (const CheckResult& check : checks) {
    if (check.output.empty()) continue;
    text += concat(style.bold(format("output of {}:", check.id)), "\n");
    for (const std::string& line : split(last_lines(check.output, most_lines), '\n'))
      text += concat("  | ", line, "\n");
  }
  return text;
}

}  // namespace

std::string render_checks(const std::vector<CheckResult>& checks, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"check", "result", "observed"}};
  for (const CheckResult& check : checks) {
    rows.push_back({check.id, status_mark(check.status, style), check.observed});
    if (!check.hint.empty() && check.status != CheckStatus::pass) {
      rows.push_back({"", "", concat(style.bold("hint: "), translated(check.hint))});
    }
  }
  return concat(table(rows, style), outputs_of(checks, style));
}

namespace {

// Passed checks are only counted; the transaction's error reports the failed one.
std::string checks_in_brief(const TransactionReport& report, const Style& style) {
  std::vector<CheckResult> others;
  std::copy_if(report.checks.begin(), report.checks.end(), std::back_inserter(others),
               [](const CheckResult& check) { return check.status != CheckStatus::pass; });
  const std::size_t passed = report.checks.size() - others.size();
  std::string text = others.empty()
                         ? format("checks: {} passed\n", passed)
                         : format("checks: {} of {} passed\n", passed, report.checks.size());
  if (report.failed) return text + outputs_of(others, style);
  if (!others.empty()) text += render_checks(others, style);
  return text;
}

std::string changed_packages(const TransactionReport& report, const char* before, const char* after,
                             const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"package", before, after}};
  for (const PackageChange& package : report.packages) {
    if (package.before == package.after) continue;
    rows.push_back({package.name, version_or_dash(package.before), version_or_dash(package.after)});
  }
  return rows.size() > 1 ? table(rows, style) : std::string();
}

std::string planned_rollback(const TransactionReport& report, const Style& style) {
  std::string text = changed_packages(report, "now", "then", style);
  text += format("  {} restored or removed\n", counted(report.write_set.paths, "path"));
  if (!report.stops.empty()) text += format("  stops {}\n", joined(report.stops, " "));
  return text;
}

std::string input_line(const InputFile& input) {
  const std::string kind = input.kind == InputFile::Kind::lock ? "lock: " : "stack:";
  if (!input.signed_by) return format("{} {}, not signed\n", kind, input.file);
  return format("{} {}, signed by {} {}\n", kind, input.file, input.signed_by->key,
                input.signed_by->comment);
}

}  // namespace

std::string render_state(const TransactionReport& report, const Style& style) {
  return fitted_lines(concat(style.bold(format("state:")), " ", state_line(report), "\n"), style);
}

std::string render_execution(const Execution& execution, const Style& style) {
  const TransactionReport& report = execution.report;
  std::string text;
  const bool only_plan = report.outcome == Outcome::planned;
  const bool is_carried_out = report.transaction.has_value();
  if (report.plan && (only_plan || (report.outcome == Outcome::no_change && !is_carried_out))) {
    text += render_plan(*report.plan, style);
  }
  if (only_plan && is_carried_out) text += planned_rollback(report, style);
  if (!report.checks.empty()) text += checks_in_brief(report, style);
  if (report.changed && (report.outcome == Outcome::committed || is_rolled_back(report.outcome))) {
    text += changed_packages(report, "before", "after", style);
  }
  if (report.rollback) {
    text += format("rollback verified: {}, {}\n", counted(report.rollback->paths_checked, "path"),
                   counted(report.rollback->differing.size(), "difference"));
    for (std::size_t i = 0; i < std::min<std::size_t>(report.rollback->differing.size(), 10); ++i) {
      text += concat("  ", style.red(format("differs:")), " ", report.rollback->differing[i], "\n");
    }
  }
  if (!only_plan) {
    for (const std::string& effect : report.not_restored) {
      text += concat(style.yellow(format("rollback cannot undo:")), " ", translated(effect), "\n");
    }
  }
  constexpr std::size_t most_shown = 10;
  for (std::size_t i = 0; i < std::min(report.kept_of_others.size(), most_shown); ++i) {
    text += concat(style.bold(format("modified by others, kept:")), " ", report.kept_of_others[i],
                   "\n");
  }
  if (report.kept_of_others.size() > most_shown)
    text +=
        format("  and {} more (--json lists them)\n", report.kept_of_others.size() - most_shown);
  if (report.outcome == Outcome::committed) {
    const WriteSetSummary& kept = report.write_set;
    text += format("write set: {}{}; {} backed up\n", kept.known,
                   kept.reason.empty() ? "" : format(" ({})", kept.reason),
                   counted(kept.paths, "path"));
  }
  for (const InputFile& input : report.inputs) text += input_line(input);
  text += render_state(report, style);
  if (!report.log.empty())
    text += concat(style.bold(format("log:  ")), " ", report.root == "/" ? "" : report.root,
                   report.log, "\n");
  return fitted_lines(text, style);
}

}  // namespace topsctl

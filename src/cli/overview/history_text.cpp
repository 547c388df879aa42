// Renders the list of transactions, and single transactions.
#include "cli/overview/history_text.hpp"

#include <algorithm>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

std::string bundle_text(const GivenBundle& bundle) {
  constexpr std::size_t most_named = 2;
  std::vector<std::string> named = bundle.paths;
  if (named.size() > most_named) named.resize(most_named);
  std::string text = joined(named, ", ");
  if (named.size() < bundle.paths.size())
    text = format("{} and {} more", text, bundle.paths.size() - named.size());
  return text;
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string for_whom(const Origin& origin) {
  return origin.host.empty() ? origin.user : concat(origin.user, "@", origin.host);
}

}  // namespace

namespace {

std::string outcome_text(const TransactionSummary& summary) {
  if (!summary.confirm_until) return summary.outcome;
  return format("to be confirmed by {}", local_minute(time_of(*summary.confirm_until)));
}

std::string what_text(const HistoryLine& line) {
  const TransactionSummary& summary = line.summary;
  if (summary.kind == TransactionKind::patch)
    return format("{} of {}", counted(summary.patched.size(), "file"), summary.project);
  return line.stack.empty() ? counted(summary.packages.size(), "package") : line.stack;
}

Rows without_column(Rows rows, const char* heading) {
  const auto& names = rows.front();
  const auto found = std::find(names.begin(), names.end(), heading);
  if (found == names.end()) return rows;
  const auto column = found - names.begin();
  for (auto& row : rows) row.erase(row.begin() + column);
  return rows;
}

}  // namespace

std::string render_history(const std::vector<HistoryLine>& transactions, const Style& style) {
  if (transactions.empty()) return "topsctl has changed nothing on this host\n";
  Rows rows = {{"id", "started", "outcome", "what", "by", "kept"}};
  for (const HistoryLine& line : transactions) {
    const TransactionSummary& t = line.summary;
    rows.push_back({concat(t.id), local_minute(time_of(t.origin.started_at)), outcome_text(t),
                    what_text(line), for_whom(t.origin), human_size(t.kept_bytes)});
  }
  for (const char* heading : {"kept", "by", "what"}) {
    if (style.columns != 0 && table_width(rows) > style.columns)
      rows = without_column(rows, heading);
  }
  return table(rows, style);
}

std::string render_transaction(const HistoryLine& line, const Style& style) {
  const TransactionSummary& t = line.summary;
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) facts.emplace_back(translated(label), value);
  };
  std::vector<std::string> packages;
  for (const PackageChange& package : t.packages)
    packages.push_back(concat(package.name, " ", package.after.value_or("-")));
  std::vector<std::string> files = t.patched;
  add("transaction", format("{}, {}", t.id, t.made_by));
  add("started", local_minute(time_of(t.origin.started_at)));
  add("by", for_whom(t.origin));
  add("command", t.command);
  add("outcome", outcome_text(t));
  add("reason", t.reason);
  add("what", what_text(line));
  add("packages", joined(packages, "\n"));
  add("files", joined(files, "\n"));
  if (t.bundle) add("bundle", bundle_text(*t.bundle));
  if (t.bundle) add("sha256", t.bundle->sha256);
  add("kept", human_size(t.kept_bytes));
  return labelled_lines(facts, style);
}

}  // namespace topsctl

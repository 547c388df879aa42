// topsctl history: past transactions of a host, the reports of one transaction, and pruning.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/overview/history_text.hpp"
#include "cli/report_page.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/retelling.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/retention.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"

namespace topsctl {

namespace {

struct HistoryCommandOptions {
  std::string root = "/";
  std::int64_t shown = 0;
  std::string word;        // short for `show ID`
  std::int64_t limit = 0;  // 0: all
  std::int64_t keep = usual_retention;
  std::string most_bytes;  // empty: unlimited
  int lock_timeout_s = 120;
  bool dry_run = false;
  bool yes = false;
};

Json history_body(const std::vector<TransactionSummary>& transactions, const Json& reports,
                  const Json& pruned) {
  Json list = Json::array();
  for (const TransactionSummary& transaction : transactions) list.push_back(to_json(transaction));
  return {{"transactions", std::move(list)}, {"reports", reports}, {"pruned", pruned}};
}

std::vector<TransactionSummary> summaries_of(const std::vector<Transaction>& transactions) {
  std::vector<TransactionSummary> summaries;
  for (const Transaction& transaction : transactions) {
    if (transaction.state()) summaries.push_back(summary_of(transaction));
  }
  return summaries;
}

// What failed was noted in the language of then.
TransactionSummary summary_for_reader(const Transaction& transaction) {
  TransactionSummary summary = summary_of(transaction);
  summary.reason = retold(summary.reason);
  return summary;
}

HistoryLine line_of(const Transaction& transaction) {
  const InstalledStack stack = stack_of(transaction);
  return {summary_for_reader(transaction),
          stack.release.empty() ? stack.name : concat(stack.name, " ", stack.release)};
}

void list_all(const std::vector<Transaction>& transactions, const HistoryCommandOptions& options,
              const Style& style, Output& output) {
  std::vector<HistoryLine> lines;
  for (const Transaction& transaction : transactions) {
    if (transaction.state()) lines.push_back(line_of(transaction));
  }
  const auto limit = static_cast<std::size_t>(options.limit);
  if (limit > 0 && lines.size() > limit)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(limit));
  std::vector<TransactionSummary> summaries;
  for (const HistoryLine& line : lines) summaries.push_back(line.summary);
  output.json = history_body(summaries, nullptr, nullptr);
  output.text = render_history(lines, style);
}

// Translates it into the current language.
Json in_language(Json report) {
  if (report.is_string()) return retold(report.get<std::string>());
  if (report.is_structured())
    for (Json& each : report) each = in_language(std::move(each));
  return report;
}

void show_one(const Host& host, const std::vector<Transaction>& transactions, std::int64_t id,
              const Style& style, Output& output) {
  const auto found = std::find_if(transactions.begin(), transactions.end(),
                                  [&](const Transaction& t) { return t.id == id; });
  if (found == transactions.end() || !found->state()) {
    throw Error(ErrorCode::host_unfit, format("no transaction {} on this host", id),
                "`topsctl history` lists them");
  }
  const TransactionSummary summary = summary_for_reader(*found);
  const std::vector<Json> reports = reports_of(host, *found);
  output.json = history_body({summary}, reports, nullptr);
  output.text = render_transaction(line_of(*found), style);
  for (const Json& report : reports) {
    output.text += concat("\n", report_text(report_page(in_language(report)), style));
  }
}

// The removed backups (in a dry run, those to remove), and the transactions that can still be
// rolled back.
std::string pruned_text(const std::vector<Pruned>& pruned, bool dry_run,
                        const std::vector<TransactionSummary>& now, const Style& style) {
  std::string text;
  std::uint64_t freed = 0;
  std::vector<std::vector<std::string>> rows = {{"id", dry_run ? "would free" : "freed"}};
  for (const Pruned& each : pruned) {
    freed += each.bytes;
    rows.push_back({concat(each.transaction), human_size(each.bytes)});
  }
  if (!pruned.empty()) text += table(rows, style);
  std::vector<std::string> undoable;
  std::uint64_t kept = 0;
  for (const TransactionSummary& summary : now) {
    const bool goes = std::any_of(pruned.begin(), pruned.end(),
                                  [&](const Pruned& p) { return p.transaction == summary.id; });
    if (!summary.can_be_undone || goes) continue;
    undoable.push_back(concat(summary.id));
    kept += summary.kept_bytes;
  }
  const std::string rest = undoable.empty() ? format("no transaction can be rolled back")
                                            : format("{} kept to roll back transaction {}",
                                                     human_size(kept), joined(undoable, ", "));
  const std::string sum = pruned.empty() ? format("nothing to remove")
                          : dry_run      ? format("{} would be freed", human_size(freed))
                                         : format("{} freed", human_size(freed));
  return concat(text, style.bold(format("state:")), " ", sum, "; ", rest, "\n");
}

void prune_old(const Host& host, const HistoryCommandOptions& options, Session& session,
               Output& output) {
  PruneRequest request;
  request.generations = {static_cast<std::size_t>(options.keep), size_in_bytes(options.most_bytes)};
  request.dry_run = options.dry_run;
  request.lock_timeout_ms = std::int64_t{options.lock_timeout_s} * 1000;
  const std::vector<Pruned> pruned = prune_history(host, request, *session.events);
  output.changed = !pruned.empty() && !options.dry_run;
  Json list = Json::array();
  for (const Pruned& each : pruned)
    list.push_back({{"id", each.transaction}, {"bytes", each.bytes}});
  const std::vector<TransactionSummary> now = summaries_of(list_transactions(host));
  output.json = history_body(now, nullptr, list);
  output.text = pruned_text(pruned, options.dry_run, now, session.style);
}

// A word that is not a number may be a misspelled subcommand.
std::int64_t transaction_named(const std::string& word, bool is_pruning) {
  if (!is_pruning && whole_number(1, 999999999999)(word).empty()) return std::stoll(word);
  throw Error(ErrorCode::usage, format("unknown argument {}", in_quotes(word)),
              format("`{} -h` shows the usage", concat("topsctl ", "history")));
}

void add_prune_options(OptionTable& prune, HistoryCommandOptions& options) {
  prune
      .value("--keep", options.keep,
             "Keep this many committed installs, and ten times as many patches, for rollback", "K")
      .check(whole_number(1, 999999));
  prune
      .value("--max-size", options.most_bytes,
             "Keep at most this much data for them, such as 2G; the latest is always kept", "SIZE")
      .check(size_with_unit());
  prune
      .value("--lock-timeout", options.lock_timeout_s, "Wait at most this long for each lock",
             "SECONDS")
      .check(whole_number(0, 86400));
  prune.flag("-n,--dry-run", options.dry_run, "Show what would be removed; change nothing");
  accept_yes_option(prune, options.yes);
}

}  // namespace

CommandAction define_history(OptionTable& table) {
  auto options = std::make_shared<HistoryCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.value("--limit", options->limit, "List at most this many, the latest", "N")
      .check(whole_number(1, 999999999));
  // As `history show ID`.
  table.argument("transaction", options->word, "Transaction to show", "ID").lists("transactions");
  OptionTable& show = table.part("show", "Show the reports of one transaction");
  show.argument("id", options->shown, "Transaction ID", "ID")
      .lists("transactions")
      .required()
      .check(whole_number(1, 999999999999));
  OptionTable& prune = table.part("prune", "Remove the backups of the oldest transactions");
  add_prune_options(prune, *options);
  const auto run = [options, &prune](Session& session) {
    if (!options->word.empty()) options->shown = transaction_named(options->word, prune.is_given);
    const Host host = session.with_root(options->root);
    Output output;
    output.header.command = "history";
    if (prune.is_given) {
      prune_old(host, *options, session, output);
      return output;
    }
    require_usable_host(host, Purpose::look_back);
    const std::vector<Transaction> transactions = list_transactions(host);
    output.header.warnings = unfinished_warnings(host);
    if (options->shown > 0) {
      show_one(host, transactions, options->shown, session.style, output);
    } else {
      list_all(transactions, *options, session.style, output);
    }
    return output;
  };
  return {run, history_body({}, nullptr, nullptr)};
}

}  // namespace topsctl

// topsctl history: what was done on a machine, and the reports of one transaction.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/cli/report_page.hpp"
#include "topsctl/cli/validators.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/recovery.hpp"
#include "topsctl/engine/stored_reports.hpp"
#include "topsctl/engine/transaction.hpp"

namespace topsctl {

namespace {

std::string body(const std::vector<TransactionSummary>& transactions, const Json& reports) {
  Json list = Json::array();
  for (const TransactionSummary& transaction : transactions) list.push_back(to_json(transaction));
  return to_line({{"transactions", std::move(list)}, {"reports", reports}});
}

void list_all(const std::vector<Transaction>& transactions, const Style& style, Output& output) {
  std::vector<TransactionSummary> summaries;
  for (const Transaction& transaction : transactions) {
    if (transaction.state()) summaries.push_back(summary_of(transaction));
  }
  output.json = body(summaries, nullptr);
  output.text = render_history(summaries, style);
}

void show_one(const Host& host, const std::vector<Transaction>& transactions, std::int64_t id,
              const Style& style, Output& output) {
  const auto found = std::find_if(transactions.begin(), transactions.end(),
                                  [&](const Transaction& t) { return t.id == id; });
  if (found == transactions.end() || !found->state()) {
    throw Error(ErrorCode::host_unfit, concat("no transaction ", id, " on this machine"),
                "`topsctl history` lists them");
  }
  const TransactionSummary summary = summary_of(*found);
  const std::vector<Json> reports = reports_of(host, *found);
  output.json = body({summary}, reports);
  output.text = render_history({summary}, style);
  for (const Json& report : reports) {
    output.text += concat("\n", report_text(report_page(report), style));
  }
}

}  // namespace

CommandAction define_history(CLI::App& parser) {
  auto root = std::make_shared<std::string>("/");
  auto shown = std::make_shared<std::int64_t>(0);
  parser.add_option("--root", *root, "Root directory of the system")->type_name("DIR");
  CLI::App* show = parser.add_subcommand("show", "Show the reports of one transaction");
  show->add_option("id", *shown, "The transaction")
      ->required()
      ->type_name("ID")
      ->check(whole_number(1, 999999999999));
  const auto run = [root, shown](Session& session) {
    const Host host = session.with_root(*root);
    require_usable_host(host, Purpose::look);
    const std::vector<Transaction> transactions = list_transactions(host);
    Output output;
    output.header.command = "history";
    output.header.warnings = unfinished_warnings(host);
    if (*shown > 0) {
      show_one(host, transactions, *shown, session.style, output);
    } else {
      list_all(transactions, session.style, output);
    }
    return output;
  };
  return {run, body({}, nullptr)};
}

}  // namespace topsctl

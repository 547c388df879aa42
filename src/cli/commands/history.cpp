// topsctl history: what was done on a machine.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/cli/command.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/recovery.hpp"
#include "topsctl/engine/transaction.hpp"

namespace topsctl {

namespace {

std::string body(const std::vector<TransactionSummary>& transactions) {
  Json list = Json::array();
  for (const TransactionSummary& transaction : transactions) list.push_back(to_json(transaction));
  return Json({{"transactions", std::move(list)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

CommandAction define_history(CLI::App& parser) {
  auto root = std::make_shared<std::string>("/");
  parser.add_option("--root", *root, "Root directory of the system")->type_name("DIR");
  const auto run = [root](Session& session) {
    const Host host = session.with_root(*root);
    require_usable_host(host, Purpose::look);
    std::vector<TransactionSummary> transactions;
    for (const Transaction& transaction : list_transactions(host)) {
      if (transaction.state()) transactions.push_back(summary_of(transaction));
    }
    Output output;
    output.header.command = "history";
    output.header.warnings = unfinished_warnings(host);
    output.json = body(transactions);
    output.text = render_history(transactions, session.style);
    return output;
  };
  return {run, body({})};
}

}  // namespace topsctl

// topsctl confirm: keeps an install that must be confirmed.
#include "topsctl/engine/operations/confirmation.hpp"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

struct ConfirmCommandOptions {
  std::int64_t id = 0;
  std::string root = "/";
  int lock_timeout_s = 120;
  bool yes = false;
};

Json confirm_body(const Json& transaction, const Json& outcome, const Json& at,
                  const std::string& message) {
  return {{"transaction", transaction}, {"outcome", outcome}, {"confirmed_at", at},
          {"changed", false},           {"failed", false},    {"msg", message}};
}

Output run_confirm(const ConfirmCommandOptions& options, Session& session) {
  const Host host = session.with_root(options.root);
  const Confirmed confirmed =
      confirm(host, options.id, this_connection(host.environment),
              {requesting_user(host.environment), session.command_line, 0, {}},
              std::int64_t{options.lock_timeout_s} * 1000, *session.events);
  const std::string message =
      format("transaction {}{}", options.id,
             confirmed.now ? " is confirmed: it is kept" : " needs no confirmation: it is kept");
  Output output;
  output.header.command = "confirm";
  output.json = confirm_body(options.id, confirmed.now ? "confirmed" : "no_change",
                             confirmed.now ? Json(confirmed.at) : Json(nullptr), message);
  output.text = concat(session.style.bold(format("state:")), " ", message, "\n");
  return output;
}

}  // namespace

CommandAction define_confirm(OptionTable& table) {
  auto options = std::make_shared<ConfirmCommandOptions>();
  table.argument("id", options->id, "Transaction ID, from the install's report", "ID")
      .lists("unconfirmed")
      .required()
      .check(whole_number(1, 999999999999));
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table
      .value("--lock-timeout", options->lock_timeout_s,
             "Wait at most this long for another topsctl", "SECONDS")
      .check(whole_number(0, 86400));
  accept_yes_option(table, options->yes);
  Json failed = confirm_body(nullptr, nullptr, nullptr, "nothing was confirmed");
  failed["failed"] = true;
  return {[options](Session& session) { return run_confirm(*options, session); }, failed};
}

}  // namespace topsctl

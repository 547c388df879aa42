// topsctl rollback and topsctl recover: restore the state before an install.
#include "topsctl/engine/operations/rollback.hpp"

#include <memory>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/report_option.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/commit_watchdog.hpp"
#include "topsctl/engine/operations/recovery.hpp"

namespace topsctl {

namespace {

struct RollbackCommandOptions {
  std::int64_t id = 0;
  std::string root = "/";
  bool dry_run = false;
  bool yes = false;
  bool force = false;
  bool give_up = false;
  bool from_store = false;
  std::string report;
  std::int64_t watched = 0;
  int lock_timeout_s = 120;
};

}  // namespace

CommandAction define_rollback(OptionTable& table) {
  auto options = std::make_shared<RollbackCommandOptions>();
  table
      .argument("id", options->id, "Transaction ID, from `topsctl history`; default: the latest",
                "ID")
      .lists("undoable")
      .check(whole_number(1, 999999999999));
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.flag("-n,--dry-run", options->dry_run, "Print the plan; change nothing");
  add_yes_option(table, options->yes);
  table.flag("--force", options->force, "Restore files even if others modified them afterwards");
  table
      .value("--lock-timeout", options->lock_timeout_s, "Wait at most this long for dpkg's lock",
             "SECONDS")
      .check(whole_number(0, 86400));
  add_report_option(table, options->report);
  const auto run = [options](Session& session) {
    require_report_place(options->report);
    RollbackRequest request;
    if (options->id > 0) request.id = options->id;
    request.dry_run = options->dry_run;
    request.force = options->force;
    request.lock_timeout_ms = std::int64_t{options->lock_timeout_s} * 1000;
    const Host host = session.with_root(options->root);
    if (is_to_be_asked(session, options->yes, options->dry_run))
      request.approve = [&](const Execution& plan) {
        return is_approved(render_execution(plan, Style{false, session.style.columns}),
                           format("Roll back? [y/N]"));
      };
    const auto execution =
        attempted(host, [&] { return roll_back(host, request, *session.events); });
    Output output = execution_output("rollback", execution, session.style);
    write_report(options->report, "rollback", execution, output);
    return output;
  };
  return {run, failed_execution_body()};
}

CommandAction define_recover(OptionTable& table) {
  auto options = std::make_shared<RollbackCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  accept_yes_option(table, options->yes);
  table
      .value("--lock-timeout", options->lock_timeout_s, "Wait at most this long for dpkg's lock",
             "SECONDS")
      .check(whole_number(0, 86400));
  table.flag("--force", options->force,
             "Also restore files that were modified after the interruption");
  table
      .flag("--give-up", options->give_up,
            "Accept the host as it is if the rollback cannot be completed")
      .excludes("--force");
  table
      .flag("--from-store", options->from_store,
            "Restore from the backups that remain, despite a damaged journal or copy")
      .excludes("--give-up")
      .excludes("--force");
  table
      .value("--unless-confirmed", options->watched,
             "Wait until this transaction is confirmed or its deadline passes", "ID")
      .check(whole_number(1, 999999999999));
  add_report_option(table, options->report);
  const auto run = [options](Session& session) {
    require_report_place(options->report);
    const Host host = session.with_root(options->root);
    const auto persistence = options->give_up      ? Persistence::give_up
                             : options->from_store ? Persistence::from_store
                             : options->force      ? Persistence::force
                                                   : Persistence::retry;
    const auto execution = attempted(host, [&] {
      if (options->watched > 0) return watch(host, options->watched, *session.events);
      return recover(host, persistence, std::int64_t{options->lock_timeout_s} * 1000,
                     *session.events);
    });
    Output output = execution_output("recover", execution, session.style);
    write_report(options->report, "recover", execution, output);
    return output;
  };
  return {run, failed_execution_body()};
}

}  // namespace topsctl

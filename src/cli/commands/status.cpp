// topsctl status: the status of one or several hosts, and the next command.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/overview/status_page.hpp"
#include "cli/report_option.hpp"
#include "cli/targets/remote_command.hpp"
#include "cli/targets/target_options.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/status/host_status.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"

namespace topsctl {

namespace {

struct StatusCommandOptions {
  std::string root = "/";
  std::string report;
  bool no_shell = false;
};

// The cache of installed files' digests: beside the transactions, or in a user's cache.
std::filesystem::path digests_file(const Host& host, const Session& session) {
  return (is_root_user() ? host.resolve(host.state) : cache_folder(session)) / "installed-digests";
}

Output run_status(const StatusCommandOptions& options, Session& session) {
  if (!options.report.empty())
    throw Error(ErrorCode::usage, "--report is for several hosts",
                "name them with --hosts or --target; --json prints the status of this one");
  Host host = session.with_root(options.root);
  Output output;
  // A user's own patches are shown by `history`.
  if (host.is_of_user()) {
    output.header.warnings = unfinished_warnings(host);
    host.state = system_state;
    host.logs = system_logs;
  }
  require_usable_host(host, Purpose::look);
  DigestCache digests(digests_file(host, session), *session.host.clock);
  StatusRequest request;
  request.own = session.with_own_state();
  request.shell = calling_shell(session.host.environment);
  request.has_shell = !options.no_shell;
  request.connection = this_connection(session.host.environment);
  request.is_root = is_root_user();
  request.root = host.root.string();
  std::error_code ignored;
  request.directory = std::filesystem::current_path(ignored).string();
  request.digests = &digests;
  const HostStatus status = host_status(host, request);
  // Creates nothing on a host where topsctl has never installed anything.
  if (!is_root_user() || std::filesystem::is_directory(host.resolve(host.state), ignored))
    digests.write();
  output.header.command = "status";
  output.header.exit = status.has_problems() ? ExitCode::problems : ExitCode::done;
  const Json body = to_json(status);
  output.json = body;
  output.text = status_text(document(output.header, body), options.no_shell ? status.host : "",
                            session.style);
  return output;
}

// For the first reachable host that deviates; else for all of them, with more detail.
std::string next_of(const FleetStatus& fleet, const std::string& where) {
  for (const FleetHost& host : fleet.hosts) {
    if (host.verdict == FleetVerdict::problems || host.verdict == FleetVerdict::differs)
      return concat("topsctl ", "status --target ", typed_word(host.target));
  }
  return fleet.deviating() == 0 ? concat("topsctl ", "verify ", where) : std::string();
}

void show_fleet(const StatusCommandOptions& options, const Json& targets, const std::string& where,
                Session& session, Output& output) {
  const FleetStatus fleet = fleet_status(targets);
  if (!output.header.error && fleet.deviating() > 0) output.header.exit = ExitCode::problems;
  const Json body = {{"targets", targets}, {"fleet", to_json(fleet)}};
  output.json = body;
  output.text = fleet_text(fleet, targets, next_of(fleet, where), session.style);
  write_report(options.report, document(output.header, body), fleet_page(fleet, targets), output);
}

}  // namespace

CommandAction define_status(OptionTable& table) {
  auto options = std::make_shared<StatusCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.flag("--no-shell", options->no_shell, "Leave out the environment of the shell").hidden();
  table.group = remote_group;
  add_report_option(table, options->report);
  CommandAction action{[options](Session& session) { return run_status(*options, session); },
                       to_json(HostStatus{})};
  action.fleet = FleetView{
      {"--no-shell"},
      [options] { require_report_place(options->report); },
      [options](const Json& targets, const std::string& where, Session& session, Output& output) {
        show_fleet(*options, targets, where, session, output);
      }};
  return action;
}

}  // namespace topsctl

// topsctl install: a bundle as one transaction.
#include "topsctl/engine/operations/installer.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/report_option.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/report_files.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/host/bundle/lock_file.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

namespace {

struct InstallCommandOptions : InstallOptions {
  std::vector<std::string> bundle;
  std::string root = "/";
  std::string stack;
  std::string components;
  std::string report;
  std::optional<std::string> lock;
  std::string lock_sha256;
  bool dry_run = false;
  int confirm_timeout_s = 0;
};

InstallMode mode_of(const InstallCommandOptions& options) {
  if (options.dry_run) return options.rehearse ? InstallMode::rehearse : InstallMode::plan;
  return options.rehearse ? InstallMode::rehearse_and_apply : InstallMode::apply;
}

Output run_install(const InstallCommandOptions& options, Session& session) {
  require_report_place(options.report);
  const Host host = session.with_root(options.root);
  InstallRequest request;
  request.bundle = {options.bundle.begin(), options.bundle.end()};
  request.stack = options.stack;
  request.components = options.components;
  request.python = options.python;
  request.system_python = options.allow_system_python ? SystemPython::allow : SystemPython::refuse;
  request.wheel_backend = options.wheel_backend == "pip" ? WheelBackend::pip : WheelBackend::native;
  request.accepted = {options.accepted.begin(), options.accepted.end()};
  request.allow_older_lock = options.allow_older_lock;
  if (options.allow_downgrade) request.accepted.insert(downgrade_finding);
  request.settings = options.settings;
  request.mode = mode_of(options);
  request.sandboxing = sandboxing_of(options.no_sandbox);
  request.lock_timeout_ms = std::int64_t{options.lock_timeout_s} * 1000;
  request.deadline_s = options.deadline_s;
  request.requester = {requesting_user(host.environment), session.command_line,
                       options.confirm_timeout_s, this_connection(host.environment)};
  const Execution execution = attempted(host.root.string(), [&] {
    if (const auto lock = chosen_lock(options.lock, options.lock_sha256)) {
      request.lock = lock->lock;
      request.requester.inputs.push_back(lock->input);
    }
    return install(host, request, *session.events);
  });
  Output output = execution_output("install", execution, session.style);
  std::string text = execution_output("install", execution, Style{}).text;
  if (execution.error) text += render_error(*execution.error, Style{});
  const std::string json = to_text(execution_document("install", execution));
  if (execution.report.transaction) {
    for (std::string& warning : leave_report(host, *execution.report.transaction, json, text)) {
      output.header.warnings.push_back(std::move(warning));
    }
  }
  write_report(options.report, "install", execution, output);
  if (execution.report.outcome == Outcome::committed) {
    output.text += format("{} open a new login shell, or run `eval \"$(topsctl env)\"`\n",
                          session.style.bold("next: "));
  }
  return output;
}

}  // namespace

CommandAction define_install(OptionTable& table) {
  auto options = std::make_shared<InstallCommandOptions>();
  table.argument("bundle", options->bundle, "The bundle's folder, or single packages", "BUNDLE")
      .required();
  table.value("--stack", options->stack, "A known stack's name, or a stack file", "STACK");
  table.value("--root", options->root, "Root directory of the system to install on", "DIR");
  table.value("--components", options->components, "Only these, separated by commas", "LIST");
  table.flag("-n,--dry-run", options->dry_run, "Print the plan and change nothing");
  add_report_option(table, options->report);
  table.value("--lock", options->lock, "Take only packages whose digests this lock has", "FILE");
  table.value("--lock-sha256", options->lock_sha256, "The lock must have this digest", "HEX")
      .hidden();
  add_install_options(table, *options);
  table
      .value("--confirm-timeout", options->confirm_timeout_s,
             "Restore so soon after the commit unless `topsctl confirm` comes before", "SECONDS")
      .check(whole_number(1, 604800));
  return {[options](Session& session) { return run_install(*options, session); },
          failed_execution_body()};
}

}  // namespace topsctl

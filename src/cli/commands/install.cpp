// topsctl install and topsctl repair: install packages of a bundle as one transaction.
#include "topsctl/engine/operations/installer.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/finding_text.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/report_option.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/operations/repair_source.hpp"
#include "topsctl/engine/operations/report_files.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/host/bundle/lock_file.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t max_reading_bytes = 64U << 20U;  // bytes

struct InstallCommandOptions : InstallOptions {
  InstallPurpose purpose = InstallPurpose::install;
  bool reinstall = false;
  std::vector<std::string> bundle;
  std::string root = "/";
  std::string stack;
  std::string components;
  std::string report;
  std::optional<std::string> lock;
  std::string lock_sha256;
  std::string reading;
  bool dry_run = false;
  bool yes = false;
  int confirm_timeout_s = 0;
};

InstallMode mode_of(const InstallCommandOptions& options) {
  return options.dry_run ? InstallMode::plan : InstallMode::apply;
}

// The command as typed, without the options that only make a plan.
std::string typed_install(const InstallCommandOptions& options) {
  std::vector<std::string> words = {"topsctl", name_of(options.purpose)};
  for (const std::string& path : options.bundle) words.push_back(typed_word(path));
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(typed_word(value));
  };
  add("--root", options.root == "/" ? "" : options.root);
  add("--stack", options.stack);
  add("--components", options.components);
  add("--lock", options.lock.value_or(""));
  if (options.reinstall) words.emplace_back("--reinstall");
  for (const std::string& word : nondefault_arguments(options)) words.push_back(typed_word(word));
  return joined(words, " ");
}

std::string next_step(const InstallCommandOptions& options, const Execution& execution) {
  const std::string root =
      options.root == "/" ? std::string() : concat(" --root ", typed_word(options.root));
  if (execution.report.outcome == Outcome::planned) return typed_install(options);
  if (execution.report.outcome != Outcome::committed) return {};
  if (options.confirm_timeout_s > 0) {
    return format("topsctl confirm {}{}", *execution.report.transaction, root);
  }
  if (!root.empty()) return format("topsctl verify{}", root);
  return format("open a new login shell, or run `eval \"$(topsctl env)\"`");
}

std::string next_label(const InstallCommandOptions& options, const Execution& execution) {
  const bool is_watched =
      options.confirm_timeout_s > 0 && execution.report.outcome == Outcome::committed;
  return is_watched ? format("next, over a new connection, within {} s:", options.confirm_timeout_s)
                    : format("next:");
}

std::string shown_plan(const Plan& plan, const Style& style) {
  Style plain;
  plain.columns = style.columns;
  std::string text = render_plan(plan, plain);
  for (const std::string& warning : plan.warnings)
    text += fitted_lines(format("warning: {}\n", warning), plain);
  return text;
}

Output run_install(const InstallCommandOptions& options, Session& session) {
  require_report_place(options.report);
  const Host host = session.with_root(options.root);
  InstallRequest request;
  request.purpose = options.purpose;
  request.again = options.reinstall ? Again::all : Again::damaged;
  RepairSource source;
  source.bundle = options.bundle;
  if (options.bundle.empty()) source = repair_source(host);
  if (options.python.empty()) require_trusted(host, source);
  if (options.bundle.empty() && !options.lock) request.recorded = source.digests;
  request.bundle = {source.bundle.begin(), source.bundle.end()};
  request.stack = options.stack.empty() ? source.stack : options.stack;
  request.components = options.components;
  request.python = options.python.empty() ? source.python : options.python;
  request.system_python = options.allow_system_python ? SystemPython::allow : SystemPython::refuse;
  request.accepted = {options.accepted.begin(), options.accepted.end()};
  request.allow_older_lock = options.allow_older_lock;
  if (options.allow_downgrade) request.accepted.insert(downgrade_finding);
  request.settings = options.settings;
  request.mode = mode_of(options);
  request.write_set = write_set_way_named(options.write_set).value();
  request.sandboxing = sandboxing_of(options.no_sandbox);
  request.lock_timeout_ms = std::int64_t{options.lock_timeout_s} * 1000;
  request.deadline_s = options.deadline_s;
  request.requester = {requesting_user(host.environment), session.command_line,
                       options.confirm_timeout_s, this_connection(host.environment)};
  if (is_to_be_asked(session, options.yes, options.dry_run))
    request.approve = [&](const Plan& plan) {
      return is_approved(shown_plan(plan, session.style), options.purpose == InstallPurpose::repair
                                                              ? format("Repair? [y/N]")
                                                              : format("Install? [y/N]"));
    };
  for (const std::string& path : source.bundle) {
    request.requester.bundle.push_back(printable(path));
    request.requester.bundle_at.push_back(printable(std::filesystem::absolute(path).string()));
  }
  if (!options.reading.empty() && !options.dry_run)
    throw Error(ErrorCode::usage, "--reading provides no packages to install",
                "use it with --dry-run");
  Execution execution = attempted(host, [&] {
    if (const auto lock = chosen_lock(options.lock, options.lock_sha256)) {
      request.lock = lock->lock;
      request.requester.inputs.push_back(lock->input);
    }
    if (!options.reading.empty())
      request.reading = parse_carried_reading(read_text(options.reading, max_reading_bytes));
    return install(host, request, *session.events);
  });
  if (!execution.report.bundle) execution.report.bundle = GivenBundle{request.requester.bundle, ""};
  const char* command = name_of(options.purpose);
  Output output = execution_output(command, execution, session.style);
  std::string text = execution_output(command, execution, Style{}).text;
  if (execution.error) text += render_error(*execution.error, Style{});
  const std::string json = to_text(execution_document(command, execution));
  if (execution.report.transaction) {
    for (std::string& warning : leave_report(host, *execution.report.transaction, json, text)) {
      output.header.warnings.push_back(std::move(warning));
    }
  }
  write_report(options.report, command, execution, output);
  if (const std::string next = next_step(options, execution); !next.empty())
    output.text += concat(session.style.bold(next_label(options, execution)), " ", next, "\n");
  return output;
}

}  // namespace

CommandAction define_install(OptionTable& table) {
  auto options = std::make_shared<InstallCommandOptions>();
  table.argument("bundle", options->bundle, "Bundle directory, or single packages", "BUNDLE")
      .required();
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--root", options->root, "Root directory of the system to install on", "DIR");
  table
      .value("--components", options->components, "Use only these components, separated by commas",
             "LIST")
      .lists("components");
  table.flag("-n,--dry-run", options->dry_run, "Print the plan; change nothing");
  table.flag("--reinstall", options->reinstall, "Also install what is there in the same version");
  add_yes_option(table, options->yes);
  add_report_option(table, options->report);
  table.value("--lock", options->lock, "Use only packages whose digests are in this lock", "FILE");
  table.value("--lock-sha256", options->lock_sha256, "Require this digest of the lock", "HEX")
      .hidden();
  table.value("--reading", options->reading, "Package data read by another host", "FILE").hidden();
  add_install_options(table, *options);
  table
      .value("--confirm-timeout", options->confirm_timeout_s,
             "Roll back this many seconds after the commit unless confirmed", "SECONDS")
      .check(whole_number(1, 604800));
  return {[options](Session& session) { return run_install(*options, session); },
          failed_execution_body()};
}

CommandAction define_repair(OptionTable& table) {
  auto options = std::make_shared<InstallCommandOptions>();
  options->purpose = InstallPurpose::repair;
  table.argument("bundle", options->bundle,
                 "The bundle that was installed; default: where it lay then", "BUNDLE");
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.flag("-n,--dry-run", options->dry_run, "Print the plan; change nothing");
  add_yes_option(table, options->yes);
  add_report_option(table, options->report);
  table.value("--lock", options->lock, "Use only packages whose digests are in this lock", "FILE");
  add_install_options(table, *options);
  return {[options](Session& session) { return run_install(*options, session); },
          failed_execution_body()};
}

}  // namespace topsctl

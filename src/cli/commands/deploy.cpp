// topsctl deploy: sends a bundle to other hosts and installs it there.
#include "topsctl/engine/transfer/deployment.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/event_lines.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/report_option.hpp"
#include "cli/targets/deploy_reading.hpp"
#include "cli/targets/remote_command.hpp"
#include "cli/targets/transfer_options.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/retelling.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/bundle_digest.hpp"
#include "topsctl/engine/transfer/started_installs.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

struct DeployCommandOptions : TransferOptions, InstallOptions {
  int confirm_timeout_s = 300;
  std::string report;
  SudoOptions sudo;
  bool resume = false;
  bool yes = false;
};

struct Deployed {
  Target target;
  TargetResult result;
  Deployment deployment;
  bool has_begun = false;  // the remote install was asked for
  bool is_heard = false;   // it has sent output, so it goes on without a connection

  bool is_over() const {
    const auto& report = deployment.report;
    return report && (!report->awaits_confirmation || deployment.confirmation);
  }
};

std::vector<std::string> install_words(const DeployCommandOptions& options) {
  std::vector<std::string> words = words_of(options);
  if (!options.components.empty()) words.push_back(concat("--components=", options.components));
  return words;
}

Json document_of(const std::optional<RemoteReport>& report) {
  return report ? report->document : Json(nullptr);
}

// The last word.
std::string message_of(const Deployment& deployment) {
  if (deployment.confirmation) return deployment.confirmation->message;
  return deployment.report ? deployment.report->message : "";
}

std::string text_in(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

// The log of the remote install, as a path on that host.
std::string log_of(const Deployment& deployment) {
  return deployment.report ? text_in(deployment.report->document, "log") : "";
}

// The warnings in the targets' reports.
std::vector<TargetWarning> warnings_of_targets(const std::vector<Deployed>& all) {
  std::vector<TargetWarning> told;
  for (const Deployed& each : all) {
    for (const auto* report : {&each.deployment.report, &each.deployment.confirmation}) {
      if (!*report) continue;
      const Json& document = (*report)->document;
      const auto list = document.find("warnings");
      if (list == document.end() || !list->is_array()) continue;
      for (const Json& warning : *list) {
        if (warning.is_string())
          told.push_back({each.target.text(), printable(warning.get<std::string>())});
      }
    }
  }
  return told;
}

// One digest of the sent packages; a target that uses all of them reports the same.
GivenBundle bundle_of(const DeployCommandOptions& options, const TransferSet& transfer_set) {
  std::vector<DigestedFile> files;
  for (const ShippedFile& file : transfer_set.files) files.push_back({file.sha256, file.name});
  return {{printable(options.bundle)}, digest_of(files)};
}

Json deploy_json(const Deployed& each, const DeployCommandOptions& options) {
  const Deployment& deployment = each.deployment;
  return {{"target", each.target.text()},
          {"status", status_name(each.result.status, options.dry_run)},
          {"files", topsctl::to_json(deployment.upload.files)},
          {"direct", deployment.upload.direct},
          {"report", document_of(deployment.report)},
          {"confirmation", document_of(deployment.confirmation)},
          {"reconnects", deployment.report ? deployment.report->reconnects : 0},
          {"duration_ms", each.result.duration_ms},
          {"error", each.result.error ? topsctl::to_json(*each.result.error) : Json(nullptr)}};
}

// The steps of a target's plan, and what a rollback would not undo. A wrong type counts as absent.
std::string steps_text(const Json& document) {
  const Json plan = document.is_object() ? document.value("plan", Json()) : Json();
  const Json steps = plan.is_object() ? plan.value("steps", Json()) : Json();
  if (!steps.is_array()) return {};
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += format("  step {} of {}: {}\n", i + 1, steps.size(),
                   printable(retold(text_in(steps[i], "description"))));
    const Json effects = steps[i].is_object() ? steps[i].value("not_restored", Json()) : Json();
    for (const Json& effect : effects) {
      if (effect.is_string())
        text += concat("      ", format("rollback cannot undo:"), " ",
                       printable(retold(effect.get<std::string>())), "\n");
    }
  }
  return text;
}

// The planned changes on each target.
std::string plans_text(const std::vector<Deployed>& all, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"target", "package", "now", "then"}};
  std::map<std::string, std::vector<std::string>> steps;  // and their targets
  const auto version = [](const Json& package, const char* key) {
    const std::string text = text_in(package, key);
    return text.empty() ? std::string("-") : text;
  };
  for (const Deployed& each : all) {
    const Json document = document_of(each.deployment.report);
    if (std::string own = steps_text(document); !own.empty())
      steps[std::move(own)].push_back(each.target.text());
    const auto packages = document.find("packages");
    if (packages == document.end() || !packages->is_array()) continue;
    for (const Json& package : *packages) {
      rows.push_back({each.target.text(), text_in(package, "name"), version(package, "before"),
                      version(package, "after")});
    }
  }
  std::string text = rows.size() == 1 ? "" : concat("\n", table(rows, style));
  for (const auto& [planned, targets] : steps)
    text += concat("\n", style.bold(format("steps")), " ", joined(targets, ", "), "\n", planned);
  return text;
}

std::string deploy_text(const std::vector<Deployed>& all, const DeployCommandOptions& options,
                        const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"target", "state", "outcome", "id", "sent", "time", "log"}};
  std::string failures;
  for (const Deployed& each : all) {
    const auto& report = each.deployment.report;
    rows.push_back({each.target.text(), status_name(each.result.status, options.dry_run),
                    report ? report->outcome : "",
                    report && report->transaction ? concat(*report->transaction) : "",
                    human_size(sent_bytes(each.deployment.upload)),
                    human_duration(each.result.duration_ms), log_of(each.deployment)});
    if (each.result.error && all.size() > 1)
      failures += render_error(each.result.error->within(each.target.text()), style);
  }
  std::string text = table(rows, style);
  if (options.dry_run) text += plans_text(all, style);
  if (!failures.empty()) text += concat("\n", failures);
  return text;
}

// The targets' statuses have priority over the kinds of the errors.
ExitCode exit_of(const std::vector<Deployed>& all, const Error& error) {
  std::vector<int> statuses;
  for (const Deployed& each : all)
    statuses.push_back(each.deployment.report ? each.deployment.report->status : -1);
  return common_exit(statuses, exit_code(error.code()));
}

// After Ctrl-C: reports what continues without this command. Throws Error if there is something.
void say_what_goes_on(const std::vector<Deployed>& all, const DeployCommandOptions& options,
                      const std::string& command_line) {
  std::vector<std::string> going;
  std::vector<std::string> unheard;
  for (const Deployed& each : all) {
    if (each.has_begun && !each.is_over())
      (each.is_heard ? going : unheard).push_back(each.target.text());
  }
  if (!is_interrupted() || (going.empty() && unheard.empty())) return;
  try {
    throw_if_interrupted();
  } catch (const Error& error) {
    const std::string resumed = options.resume ? command_line : concat(command_line, " --resume");
    throw Error(
        error.code(),
        unheard.empty() ? format("the install continues on {}", joined(going, ", "))
        : going.empty() ? format("the install may have begun on {}", joined(unheard, ", "))
                        : format("the install continues on {}, and may have begun on {}",
                                 joined(going, ", "), joined(unheard, ", ")),
        options.confirm_timeout_s == 0
            ? format("`{}` waits for its end", resumed)
            : format("`{}` waits for its end and confirms it; without that, each of these hosts "
                     "rolls back {} s after its commit",
                     resumed, options.confirm_timeout_s));
  }
}

std::vector<TargetResult> deploy_to(std::vector<Deployed>& all, const DeployCommandOptions& options,
                                    std::uint64_t bytes,
                                    const std::shared_future<ReadHere>& reading,
                                    SharedEvents& events, Session& session) {
  const CarriedProgram program = own_program();
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  std::vector<Target> targets;
  for (const Deployed& each : all) targets.push_back(each.target);
  const std::vector<Secret> passwords =
      sudo_passwords(targets, options.sudo, ssh_options_of(options.where, session), secrets);
  RateLimit limit(rate_limit_of(options));
  TargetPoolProgress progress(events, all.size());
  RelayChain relay(*session.host.clock);
  const StartedInstalls started(cache_folder(session) / "deployments");
  auto results =
      for_each_target(all.size(), pool_options_of(options.where), [&](std::size_t index) {
        Deployed& each = all[index];
        const std::string name = each.target.text();
        const auto on_progress = [&](std::uint64_t done, std::uint64_t of) {
          progress.tell(index, {name, done == of ? "installing" : "sending", done, of});
        };
        const auto on_line = [&](std::string_view line) {
          each.is_heard = true;
          if (all.size() == 1) tell_event_line(line, events);
        };
        const auto begun = options.resume ? started.find(each.target) : std::nullopt;
        const std::string run_id = begun.value_or(new_run_id());
        progress.follow(index, name, [&] {
          if (begun) progress.tell(index, {name, "installing", 0, 0});
          // If reading has failed, do not ask for a password.
          if (reading.wait_for(std::chrono::seconds(0)) == std::future_status::ready) reading.get();
          const auto remote = remote_of(each.target, options.where, session, secrets);
          const UploadRequest upload = upload_request(options, each.target, relay);
          const AwaitedSet files(bytes, [&]() -> const TransferSet& {
            if (reading.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
              progress.tell(index, {name, "reading", 0, 0});
            return reading.get().files;
          });
          deploy({.upload = {.remote = *remote,
                             .program = program,
                             .files = files,
                             .request = upload,
                             .limit = limit,
                             .clock = *session.host.clock,
                             .on_progress = on_progress},
                  .install_words = install_words(options),
                  .beside = [&]() -> const SentBeside& { return reading.get().beside; },
                  .sudo_password = passwords[index],
                  .confirm_timeout_s = options.confirm_timeout_s,
                  .on_line = on_line,
                  .on_silence =
                      [&](std::chrono::seconds time) {
                        events.note(format("{}: nothing new for {} s; it is still at work", name,
                                           time.count()));
                      },
                  .run_id = run_id,
                  .is_resumed = begun.has_value(),
                  .on_install =
                      [&] {
                        each.has_begun = !options.dry_run;
                        if (each.has_begun) started.add(each.target, run_id);
                      }},
                 each.deployment);
        });
        if (all.size() > 1) events.note(concat(name, ": ", message_of(each.deployment)));
      });
  for (const Deployed& each : all) {
    if (each.is_over()) started.remove(each.target);
  }
  return results;
}

// Before any host is reached: shows what each one will get. Their own plans are shown by --dry-run.
void ask(const TransferSet& chosen, const std::vector<Deployed>& all,
         const DeployCommandOptions& options, const Session& session) {
  if (options.resume || !is_to_be_asked(session, options.yes, options.dry_run)) return;
  std::vector<std::vector<std::string>> rows = {{"package", "version", "size"}};
  for (const Package& package : chosen.packages)
    rows.push_back({package.name, package.version, human_size(package.size)});
  std::string plan = concat(chosen.stack, "\n", table(rows, Style{false, session.style.columns}));
  for (const Deployed& each : all) plan += concat("  ", each.target.text(), "\n");
  plan += format("--dry-run shows the plan of each\n");
  require_approval(plan, format("Deploy to {}? [y/N]", counted(all.size(), "target")));
}

Output run_deploy(const DeployCommandOptions& options, Session& session) {
  const Origin origin = origin_of(session.host);
  require_sound(options);
  require_report_place(options.report);
  std::vector<Deployed> all;
  for (const Target& target : targets_of(options.where)) all.push_back({target, {}, {}});
  TransferSetRequest wanted = transfer_set_request(options);
  wanted.sandboxing = sandboxing_of(options.no_sandbox);
  wanted.digests = Digests::each;
  SharedEvents events(*session.events);
  TransferSet chosen = choose_transfer_set(wanted, events);
  const std::uint64_t bytes = chosen.bytes();
  ask(chosen, all, options, session);
  // During the login to hosts, without output, because a password prompt may be open; before it if
  // the result decides whether any host is contacted.
  const bool is_before = wanted.lock || options.dry_run;
  EventFan nobody;
  EventSink& told = is_before ? static_cast<EventSink&>(events) : nobody;
  auto read = [&, chosen = std::move(chosen)]() mutable {
    return read_here(std::move(chosen), wanted, options.dry_run, session, told);
  };
  const auto policy = is_before ? std::launch::deferred : std::launch::async;
  const std::shared_future<ReadHere> reading = std::async(policy, std::move(read)).share();
  if (is_before) reading.get();
  const auto results = deploy_to(all, options, bytes, reading, events, session);
  say_what_goes_on(all, options, session.command_line);
  const TransferSet& transfer_set = reading.get().files;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].result = results[i];
  Output output;
  output.header.command = "deploy";
  output.header.warnings = ssh_warnings(options.where, session);
  output.header.error = error_of(results, IfRerun::continues);
  if (output.header.error) output.header.exit = exit_of(all, *output.header.error);
  Json targets = Json::array();
  bool is_changed = false;
  for (const Deployed& each : all) {
    targets.push_back(deploy_json(each, options));
    warn_of_clock(each.target, each.deployment.upload, output.header.warnings);
    is_changed = is_changed || (each.deployment.report && each.deployment.report->changed);
  }
  for (std::string& each : merged(warnings_of_targets(all), all.size()))
    output.header.warnings.push_back(std::move(each));
  const std::string message =
      output.header.error ? output.header.error->message()
      : options.dry_run   ? format("nothing was installed on {}", counted(all.size(), "target"))
                          : format("done on {}", counted(all.size(), "target"));
  const Json body = {{"host", text_or_null(origin.host)},
                     {"user", text_or_null(origin.user)},
                     {"started_at", text_or_null(origin.started_at)},
                     {"bundle", to_json(bundle_of(options, transfer_set))},
                     {"destination", options.destination},
                     {"stack", text_or_null(transfer_set.stack)},
                     {"inputs", to_json(transfer_set.inputs)},
                     {"targets", targets},
                     {"changed", is_changed},
                     {"failed", output.header.error.has_value()},
                     {"msg", message}};
  output.json = body;
  output.text = deploy_text(all, options, session.style);
  output.changed = is_changed;
  const Json whole = document(output.header, body);
  write_report(options.report, whole, deployment_page(whole), output);
  return output;
}

}  // namespace

CommandAction define_deploy(OptionTable& table) {
  auto options = std::make_shared<DeployCommandOptions>();
  add_transfer_options(table, *options);
  table.flag("-n,--dry-run", options->dry_run,
             "Show what would be sent and each target's plan; change nothing");
  add_yes_option(table, options->yes);
  add_install_options(table, *options);
  table
      .value("--confirm-timeout", options->confirm_timeout_s,
             "Roll back if a target stays unreachable this long after its commit; 0: never",
             "SECONDS")
      .check(whole_number(0, 604800));
  table.flag("--resume", options->resume,
             "Find installs again that were begun before, and confirm them");
  add_report_option(table, options->report);
  add_sudo_options(table, options->sudo);
  // The short help fits a screen; the page has them.
  for (const char* name :
       {"--profile", "--set", "--unset", "--forget-settings", "--same-sudo-pass",
        "--allow-older-lock", "--write-set", "--direct", "--direct-ports", "--resume"})
    table.option(name).hidden();
  return {[options](Session& session) { return run_deploy(*options, session); },
          parse_json(R"({"host": null, "user": null, "started_at": null, "bundle": null,
                         "destination": null, "stack": null, "inputs": [], "targets": [],
                         "changed": false, "failed": true, "msg": "nothing was changed"})",
                     {})};
}

}  // namespace topsctl

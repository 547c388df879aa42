// topsctl deploy: a bundle sent to other machines and installed there.
#include "topsctl/engine/transfer/deployment.hpp"

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/event_lines.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/remote_command.hpp"
#include "cli/transfer_options.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

namespace {

struct DeployCommandOptions : TransferOptions, InstallOptions {
  int confirm_timeout_s = 300;
  SudoOptions sudo;
};

struct Deployed {
  Target target;
  TargetResult result;
  Deployment deployment;
};

// As a stack is known there too only if it is one of topsctl's own.
void require_known_stack(const std::string& stack) {
  if (stack.find('/') == std::string::npos) return;
  throw Error(ErrorCode::usage, "a stack file cannot be deployed",
              "send it with `topsctl transfer --all` and install it there with --stack");
}

std::vector<std::string> install_words(const DeployCommandOptions& options,
                                       const TransferSet& transfer_set) {
  std::vector<std::string> words = words_of(options);
  words.push_back(concat("--stack=", transfer_set.stack));
  if (!options.components.empty()) words.push_back(concat("--components=", options.components));
  return words;
}

Json document_of(const std::optional<RemoteReport>& report) {
  return report ? Json::parse(report->json) : Json(nullptr);
}

// The last word.
std::string message_of(const Deployment& deployment) {
  if (deployment.confirmation) return deployment.confirmation->message;
  return deployment.report ? deployment.report->message : "";
}

Json deploy_json(const Deployed& each, const DeployCommandOptions& options) {
  const Deployment& deployment = each.deployment;
  return {{"target", each.target.text()},
          {"status", status_name(each.result.status, options.dry_run)},
          {"files", topsctl::to_json(deployment.upload.files)},
          {"report", document_of(deployment.report)},
          {"confirmation", document_of(deployment.confirmation)},
          {"reconnects", deployment.report ? deployment.report->reconnects : 0},
          {"duration_ms", each.result.duration_ms},
          {"error", each.result.error ? topsctl::to_json(*each.result.error) : Json(nullptr)}};
}

std::string deploy_text(const std::vector<Deployed>& all, const DeployCommandOptions& options,
                        const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"target", "state", "outcome", "transaction", "sent", "time"}};
  std::string failures;
  for (const Deployed& each : all) {
    const auto& report = each.deployment.report;
    rows.push_back({each.target.text(), status_name(each.result.status, options.dry_run),
                    report ? report->outcome : "",
                    report && report->transaction ? concat(*report->transaction) : "",
                    human_size(sent_bytes(each.deployment.upload)),
                    human_duration(each.result.duration_ms)});
    if (each.result.error && all.size() > 1)
      failures += render_error(each.result.error->within(each.target.text()), style);
  }
  std::string text = table(rows, style);
  if (!failures.empty()) text += concat("\n", failures);
  return text;
}

// What the machines there tell by their status counts for more than the kinds of the errors.
ExitCode exit_of(const std::vector<Deployed>& all, const Error& error) {
  std::vector<int> statuses;
  for (const Deployed& each : all)
    statuses.push_back(each.deployment.report ? each.deployment.report->status : -1);
  return common_exit(statuses, exit_code(error.code()));
}

// The targets install what was read here, and nothing that took its place on the way.
SentLock lock_to_send(const TransferSetRequest& request, const TransferSet& transfer_set,
                      const Clock& clock) {
  constexpr std::size_t most_sent = 8U << 20U;
  SentLock sent;
  if (request.lock) {
    sent = {request.lock->text, request.lock->signature.value_or("")};
  } else if (!transfer_set.packages.empty() && !transfer_set.packages.front().sha256.empty()) {
    Inventory inventory;
    inventory.packages = transfer_set.packages;
    sent.text = to_text(to_json(lock_of(inventory, timestamp(clock.now()))));
  }
  if (sent.text.size() <= most_sent) return sent;
  throw Error(ErrorCode::usage,
              format("a lock of {} is too large to be sent", human_size(sent.text.size())),
              "lock the packages of this stack alone");
}

std::vector<TargetResult> deploy_to(std::vector<Deployed>& all, const DeployCommandOptions& options,
                                    const TransferSet& transfer_set, const SentLock& lock,
                                    Session& session) {
  const CarriedProgram program = own_program();
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  std::vector<Target> targets;
  for (const Deployed& each : all) targets.push_back(each.target);
  const std::vector<Secret> passwords = sudo_passwords(targets, options.sudo, secrets);
  RateLimit limit(rate_limit_of(options));
  SharedEvents events(*session.events);
  TargetPoolProgress progress(events, all.size());
  RelayChain relay(*session.host.clock);
  return for_each_target(all.size(), pool_options_of(options.where), [&](std::size_t index) {
    Deployed& each = all[index];
    const std::string name = each.target.text();
    const auto on_progress = [&](std::uint64_t done, std::uint64_t of) {
      progress.tell(index, {name, done == of ? "installing" : "sending", done, of});
    };
    const auto on_line = [&](std::string_view line) {
      if (all.size() == 1) tell_event_line(line, events);
    };
    progress.follow(index, name, [&] {
      const auto remote = remote_of(each.target, options.where, session, secrets);
      const UploadRequest upload = upload_request(options, each.target, relay);
      deploy({.upload = {.remote = *remote,
                         .program = program,
                         .files = transfer_set,
                         .request = upload,
                         .limit = limit,
                         .clock = *session.host.clock,
                         .on_progress = on_progress},
              .install_words = install_words(options, transfer_set),
              .lock = lock,
              .sudo_password = passwords[index],
              .confirm_timeout_s = options.confirm_timeout_s,
              .on_line = on_line},
             each.deployment);
    });
    if (all.size() > 1) events.note(concat(name, ": ", message_of(each.deployment)));
  });
}

Output run_deploy(const DeployCommandOptions& options, Session& session) {
  require_sound(options);
  require_known_stack(options.stack);
  std::vector<Deployed> all;
  for (const Target& target : targets_of(options.where)) all.push_back({target, {}, {}});
  TransferSetRequest wanted = transfer_set_request(options);
  wanted.sandboxing = sandboxing_of(options.no_sandbox);
  if (!options.dry_run) wanted.digests = Digests::each;
  const TransferSet transfer_set = make_transfer_set(
      wanted, DigestMemory(cache_folder(session) / "digests", *session.host.clock),
      *session.events);
  const SentLock lock = lock_to_send(wanted, transfer_set, *session.host.clock);
  const auto results = deploy_to(all, options, transfer_set, lock, session);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].result = results[i];
  Output output;
  output.header.command = "deploy";
  output.header.error = error_of(results);
  if (output.header.error) output.header.exit = exit_of(all, *output.header.error);
  Json targets = Json::array();
  bool is_changed = false;
  for (const Deployed& each : all) {
    targets.push_back(deploy_json(each, options));
    warn_of_clock(each.target, each.deployment.upload, output.header.warnings);
    is_changed = is_changed || (each.deployment.report && each.deployment.report->changed);
  }
  const std::string message =
      output.header.error ? output.header.error->message()
      : options.dry_run   ? format("nothing was installed on {}", counted(all.size(), "target"))
                          : format("done on {}", counted(all.size(), "target"));
  output.json = to_line(Json{{"destination", options.destination},
                             {"stack", text_or_null(transfer_set.stack)},
                             {"inputs", to_json(transfer_set.inputs)},
                             {"targets", targets},
                             {"changed", is_changed},
                             {"failed", output.header.error.has_value()},
                             {"msg", message}});
  output.text = deploy_text(all, options, session.style);
  output.changed = is_changed;
  return output;
}

}  // namespace

CommandAction define_deploy(OptionTable& table) {
  auto options = std::make_shared<DeployCommandOptions>();
  add_transfer_options(table, *options);
  table.flag("-n,--dry-run", options->dry_run, "Show what would be sent and change nothing");
  add_install_options(table, *options);
  table
      .value("--confirm-timeout", options->confirm_timeout_s,
             "Restore a target that cannot be reached so soon after its commit; 0: never",
             "SECONDS")
      .check(whole_number(0, 604800));
  add_sudo_options(table, options->sudo);
  // The short help fits a screen; the page has them.
  for (const char* name : {"--profile", "--set", "--unset", "--forget-settings", "--same-sudo-pass",
                           "--allow-older-lock"})
    table.option(name).hidden();
  return {
      [options](Session& session) { return run_deploy(*options, session); },
      R"({"destination": null, "stack": null, "inputs": [], "targets": [], "changed": false, "failed": true,
              "msg": "nothing was changed"})"};
}

}  // namespace topsctl

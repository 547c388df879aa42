// topsctl deploy: a bundle sent to other machines and installed there.
#include "topsctl/engine/deployment.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/cli/elsewhere.hpp"
#include "topsctl/cli/event_lines.hpp"
#include "topsctl/cli/transfer_options.hpp"
#include "topsctl/cli/validators.hpp"

namespace topsctl {

namespace {

struct Options : TransferOptions {
  std::string python;
  std::vector<std::string> accepted;
  bool allow_system_python = false;
  bool allow_downgrade = false;
  std::string wheel_backend;
  bool rehearse = false;
  int lock_timeout_s = 120;
  int deadline_s = 7200;
  int confirm_timeout_s = 300;
  bool ask_sudo_password = false;
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

std::vector<std::string> install_words(const Options& options, const Shipment& shipment) {
  std::vector<std::string> words = {"--stack", shipment.stack};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  };
  add("--components", options.components);
  add("--python", options.python);
  add("--wheel-backend", options.wheel_backend);
  add("--lock-timeout", concat(options.lock_timeout_s));
  add("--deadline", concat(options.deadline_s));
  for (const std::string& id : options.accepted) add("--accept", id);
  if (options.allow_system_python) words.emplace_back("--allow-system-python");
  if (options.allow_downgrade) words.emplace_back("--allow-downgrade");
  if (options.rehearse) words.emplace_back("--rehearse");
  return words;
}

Json document_of(const std::optional<FarReport>& report) {
  return report ? Json::parse(report->json) : Json(nullptr);
}

Json to_json(const Deployed& each, const Options& options) {
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

std::string text_of(const std::vector<Deployed>& all, const Options& options, const Style& style) {
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

Output run(const Options& options, Session& session) {
  require_sound(options);
  require_known_stack(options.stack);
  std::vector<Deployed> all;
  for (const Target& target : targets_of(options.where)) all.push_back({target, {}, {}});
  const Shipment shipment = make_shipment(
      shipment_request(options),
      DigestMemory(cache_folder(session) / "digests", *session.host.clock), *session.events);
  const CarriedProgram program = own_program();
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  const std::string sudo_password = options.ask_sudo_password ? ask_sudo_password(secrets) : "";
  RateLimit limit(rate_limit_of(options));
  SharedEvents events(*session.events);
  FleetProgress progress(events, all.size());
  const auto results =
      for_each_target(all.size(), fleet_options_of(options.where), [&](std::size_t index) {
        Deployed& each = all[index];
        const std::string name = each.target.text();
        progress.tell(index, {name, "connecting", 0, 0});
        const auto remote = remote_of(each.target, options.where, session, secrets);
        const DeployRequest request{upload_request(options, each.target),
                                    install_words(options, shipment), sudo_password,
                                    options.confirm_timeout_s};
        const auto on_line = [&](std::string_view line) {
          if (all.size() == 1) tell_event_line(line, events);
        };
        try {
          deploy(
              *remote, program, shipment, request, limit, *session.host.clock,
              [&](std::uint64_t done, std::uint64_t of) {
                progress.tell(index, {name, done == of ? "installing" : "sending", done, of});
              },
              on_line, each.deployment);
        } catch (const Error&) {
          progress.tell(index, {name, "failed", 0, 0});
          throw;
        }
        progress.tell(index, {name, "done", 0, 0});
        if (all.size() > 1) events.note(concat(name, ": ", each.deployment.report->message));
      });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].result = results[i];
  Output output;
  output.header.command = "deploy";
  output.header.error = error_of(results);
  if (output.header.error) output.header.exit = exit_of(all, *output.header.error);
  Json targets = Json::array();
  bool is_changed = false;
  for (const Deployed& each : all) {
    targets.push_back(to_json(each, options));
    is_changed = is_changed || (each.deployment.report && each.deployment.report->changed);
  }
  const std::string message =
      output.header.error ? output.header.error->message()
                          : concat(options.dry_run ? "nothing was installed on " : "done on ",
                                   counted(all.size(), "target"));
  output.json = to_line(Json{{"destination", options.destination},
                             {"stack", text_or_null(shipment.stack)},
                             {"targets", targets},
                             {"changed", is_changed},
                             {"failed", output.header.error.has_value()},
                             {"msg", message}});
  output.text = text_of(all, options, session.style);
  output.changed = is_changed;
  return output;
}

}  // namespace

CommandAction define_deploy(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  add_transfer_options(parser, *options);
  parser.add_option("--python", options->python, "The interpreter to install for")
      ->type_name("EXE");
  parser.add_option("--accept", options->accepted, "A finding that is no reason to stop")
      ->type_name("ID")
      ->allow_extra_args(false)
      ->check(known_finding());
  parser.add_flag("-n,--dry-run", options->dry_run, "Show what would be sent and change nothing");
  parser.add_flag("--rehearse", options->rehearse, "Do it in a throw-away view there first");
  parser.add_flag("--allow-downgrade", options->allow_downgrade,
                  "Install packages although newer versions are there");
  parser.add_flag("--allow-system-python", options->allow_system_python,
                  "Install for an interpreter that the system manages (PEP 668)");
  parser.add_option("--wheel-backend", options->wheel_backend, "Who installs the wheel")
      ->type_name("NAME")
      ->check(one_of({"pip", "native"}));
  parser.add_option("--lock-timeout", options->lock_timeout_s, "How long to wait for dpkg's lock")
      ->type_name("SECONDS")
      ->check(whole_number(0, 86400));
  parser
      .add_option("--deadline", options->deadline_s,
                  "How long an install may take before it is rolled back; 0: no limit")
      ->type_name("SECONDS")
      ->check(whole_number(0, 604800));
  parser
      .add_option("--confirm-timeout", options->confirm_timeout_s,
                  "Restore a target that cannot be reached so soon after its commit; 0: never")
      ->type_name("SECONDS")
      ->check(whole_number(0, 604800));
  parser.add_flag("--ask-sudo-pass", options->ask_sudo_password,
                  "Ask once for the password that sudo wants there");
  return {[options](Session& session) { return run(*options, session); },
          R"({"destination": null, "stack": null, "targets": [], "changed": false, "failed": true,
              "msg": "nothing was changed"})"};
}

}  // namespace topsctl

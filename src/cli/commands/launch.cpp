// topsctl launch: a training on all cards of this machine, and topsctl rank, of which it is made.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/doctor_text.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/rank_console.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/engine/launch/launch_host.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/model/environment_formats.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_ranks = 1024;
constexpr std::int64_t most_port = 65'535;
constexpr const char* no_preflight = "none";

struct LaunchCommandOptions {
  std::int64_t ranks = 0;  // 0: one for each card
  std::string cards;
  std::string stack;
  std::string python;
  std::string level = "device";
  std::string log_folder;
  std::int64_t master_port = 0;  // 0: a free one
  std::vector<std::string> accepted;
  SettingOptions settings;
  bool dry_run = false;
};

std::string body_of(const std::vector<CheckResult>& checks, const Json& plan, const Json& record) {
  return to_line({{"started", !record.is_null()},
                  {"checks", to_json(checks)},
                  {"plan", plan},
                  {"record", record}});
}

// "0,1,4"
std::vector<std::string> cards_in(const std::string& list) {
  std::vector<std::string> cards;
  for (const std::string& card : split(list, ',')) {
    if (!is_digits(card) || std::find(cards.begin(), cards.end(), card) != cards.end())
      throw Error(ErrorCode::usage, format("--cards {} is no list of cards", in_quotes(list)),
                  "name each card once by its number: --cards 0,1,2,3");
    cards.push_back(card);
  }
  return cards;
}

std::int64_t ranks_of(const LaunchCommandOptions& options, const Host& host, const Stack& stack) {
  const std::vector<std::string> cards =
      options.cards.empty() ? std::vector<std::string>() : cards_in(options.cards);
  if (options.ranks > 0) return options.ranks;
  if (!cards.empty()) return static_cast<std::int64_t>(cards.size());
  const AcceleratorRules& rules = stack.accelerator;
  const std::int64_t there = card_nodes(host, rules.device_node, rules.cards).there;
  if (there == 0)
    throw Error(ErrorCode::host_unfit,
                format("there is no {}0: this host shows no card", rules.device_node),
                "say how many processes to start: --nproc N");
  return there;
}

std::filesystem::path log_folder_of(const LaunchCommandOptions& options, const Host& host) {
  if (!options.log_folder.empty()) return std::filesystem::absolute(options.log_folder);
  std::string now = timestamp(host.clock->now());
  std::erase_if(now, [](char c) { return c == '-' || c == ':'; });
  return std::filesystem::absolute(concat("topsctl-logs/", now, "-", ::getpid()));
}

// What keeps a training from being started; accepted ids are none of it.
std::vector<std::string> refusals(const Verification& verification,
                                  const std::vector<std::string>& accepted) {
  std::vector<std::string> ids;
  for (const CheckResult* problem : verification.problems()) {
    if (std::find(accepted.begin(), accepted.end(), problem->id) == accepted.end())
      ids.push_back(problem->id);
  }
  return ids;
}

std::string plan_text(const LaunchPlan& plan, const std::map<std::string, std::string>& before,
                      const Style& style) {
  std::vector<std::string> words;
  for (const std::string& word : plan.argv) words.push_back(shell_quoted(word));
  std::string text = concat(style.bold("command:"), " ", joined(words, " "), "\n");
  for (const auto& [name, value] : plan.environment) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != value)
      text += concat("  ", name, "=", shell_quoted(value), "\n");
  }
  for (const auto& [name, value] : before) {
    if (!plan.environment.contains(name)) text += concat("  unset ", name, "\n");
  }
  return text + concat("  ", format("logs in {}", printable(plan.log_folder.string())), "\n");
}

std::string end_text(const LaunchRecord& record, Language language, const Style& style) {
  std::string text;
  if (record.judgement) {
    DoctorReport report;
    report.language = language;
    report.judgement = *record.judgement;
    text = render_doctor(report, Detail::brief, style);
  }
  const std::string what = record.ended_by       ? format("ended by signal {}", *record.ended_by)
                           : *record.status == 0 ? std::string("all ranks ended well")
                                                 : format("exit status {}", *record.status);
  return text + concat(style.bold("state:"), " ",
                       format("{}; logs in {}", what, printable(record.plan.log_folder.string())),
                       "\n");
}

// `-m MODULE` and the like are the interpreter's own affair.
void require_script(const std::optional<std::vector<std::string>>& words) {
  if (!words || words->empty())
    throw Error(ErrorCode::usage, "no script to run",
                "give it behind '--': topsctl launch -- SCRIPT ARGS...");
  const std::string& script = words->front();
  std::error_code failure;
  if (script.starts_with('-') || std::filesystem::exists(script, failure)) return;
  throw Error(ErrorCode::bad_input, format("there is no script {}", in_quotes(script)),
              "give its path from the working directory; its arguments come behind it");
}

Output run_launch(const LaunchCommandOptions& options, Session& session) {
  require_script(session.program_words);
  const Host& host = session.host;
  require_usable_host(host, Purpose::look);
  const Stack stack = options.stack.empty() ? known_stacks().front() : load_stack(options.stack);
  Output output;
  output.header.command = "launch";
  LaunchWishes wishes;
  wishes.words = *session.program_words;
  wishes.ranks = ranks_of(options, host, stack);
  wishes.cards = options.cards;
  wishes.log_folder = log_folder_of(options, host);
  wishes.own_program = this_program();
  wishes.environment = joined_environment(
      host.environment,
      environment_for_programs(host, stack, options.settings, output.header.warnings));
  VerifyOptions climb;
  const bool has_preflight = options.level != no_preflight;
  if (has_preflight) climb.highest = *rung_named(options.level);
  climb.events = session.events;
  const Verification verification = run_checks(
      host, stack, has_preflight ? stack.checks : std::vector<CheckRule>(), options.python, climb);
  wishes.python = options.python.empty() ? verification.python : options.python;
  if (wishes.python.empty())
    throw Error(ErrorCode::host_unfit, "no Python interpreter of the stack works here",
                "name one: --python EXE");
  const std::vector<std::string> refused = refusals(verification, options.accepted);
  if (!refused.empty() && !options.dry_run) {
    output.header.exit = ExitCode::problems;
    output.text =
        concat(render_checks(verification.checks, session.style), session.style.bold("state:"), " ",
               format("not started: {}; --accept {} starts it all the same\n",
                      joined(refused, ", "), refused.front()));
    output.json = body_of(verification.checks, nullptr, nullptr);
    return output;
  }
  wishes.engine = engine_of(host, wishes.python, wishes.environment);
  if (options.master_port > 0) require_free_port(concat(options.master_port));
  wishes.master_port = options.master_port > 0 ? concat(options.master_port) : free_port();
  const LaunchPlan plan = plan_launch(wishes);
  if (options.dry_run) {
    output.text = concat(has_preflight ? render_checks(verification.checks, session.style) : "",
                         plan_text(plan, host.environment, session.style));
    output.json = body_of(verification.checks, to_json(plan), nullptr);
    return output;
  }
  RankConsole console(session.json ? Stream::errors : Stream::output, session.style,
                      session.detail == Verbosity::verbose);
  const Language language = language_of(host.environment);
  const LaunchRecord record = launch(host, plan, language, console);
  if (!record.log_problem.empty()) output.header.warnings.push_back(record.log_problem);
  output.text = end_text(record, language, session.style);
  output.json = body_of(verification.checks, to_json(plan), to_json(record));
  if (*record.status != 0) output.header.exit = ExitCode::problems;
  output.status = *record.status;
  return output;
}

}  // namespace

CommandAction define_launch(OptionTable& table) {
  auto options = std::make_shared<LaunchCommandOptions>();
  table.value("--nproc", options->ranks, "How many processes; default: one for each card", "N")
      .check(whole_number(1, most_ranks));
  table.value("--cards", options->cards, "Use these cards only, such as 0,1,2,3", "LIST");
  table.value("--stack", options->stack, "A known stack's name, or a stack file", "STACK");
  table.value("--python", options->python, "The interpreter; default: the stack's", "EXE");
  std::vector<std::string> levels = rung_names();
  levels.emplace_back(no_preflight);
  table
      .value("--preflight", options->level,
             "Check the host to this level before, or none; default: device", "LEVEL")
      .check(one_of(levels));
  table.value("--accept", options->accepted, "Start although this check fails", "ID");
  table.value("--log-dir", options->log_folder, "A new directory for the logs", "DIR");
  table
      .value("--master-port", options->master_port, "Where ranks meet; default: a free one", "PORT")
      .check(whole_number(1, most_port));
  add_setting_options(table, options->settings);
  table.flag("-n,--dry-run", options->dry_run, "Print command, environment and checks");
  return {[options](Session& session) { return run_launch(*options, session); },
          body_of({}, nullptr, nullptr)};
}

CommandAction define_rank(OptionTable& table) {
  auto folder = std::make_shared<std::string>();
  table.argument("log-dir", *folder, "Where its pipe is", "DIR").required();
  const auto run = [folder](Session& session) -> Output {
    if (!session.program_words)
      throw Error(ErrorCode::usage, "no program to run", "`topsctl launch` starts ranks");
    become_rank(*folder, *session.program_words, session.host.environment);
  };
  return {run, "{}"};
}

}  // namespace topsctl

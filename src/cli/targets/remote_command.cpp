// Runs a topsctl command on other hosts, and combines the results.
#include "cli/targets/remote_command.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "cli/approval.hpp"
#include "cli/option_table.hpp"
#include "cli/targets/target_options.hpp"
#include "cli/targets/transfer_options.hpp"
#include "cli/told_commands.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transfer/deployment.hpp"

namespace topsctl {

namespace {

struct Elsewhere {
  TargetOptions where;
  SudoOptions sudo;
};

struct RemoteResult {
  Target target;
  TargetResult result;
  RemoteReport report;
  std::string text;
  bool has_ended = false;
};

Json target_json(const RemoteResult& each) {
  return {{"target", each.target.text()},
          {"status", status_name(each.result.status, false)},
          {"exit_status", each.has_ended ? Json(each.report.status) : Json(nullptr)},
          {"report", each.report.document},
          {"reconnects", each.report.reconnects},
          {"duration_ms", each.result.duration_ms},
          {"error", each.result.error ? topsctl::to_json(*each.result.error) : Json(nullptr)}};
}

constexpr std::int64_t longest_look_ms = 600'000;  // of a command that only looks
constexpr std::string_view below_target = "  ";

// What a host says cannot look like another host's part, or like our own words.
std::string target_text(const std::vector<RemoteResult>& all, const Style& style) {
  if (all.size() == 1) return all.front().text;
  std::string text;
  for (const RemoteResult& each : all) {
    text += concat(style.bold(each.target.text()), "\n");
    for (const std::string& line : split(each.text, '\n'))
      text += line.empty() ? "" : concat(below_target, line, "\n");
    if (each.result.error && each.text.empty()) text += render_error(*each.result.error, style);
    text += "\n";
  }
  return text;
}

// The last error of the remote topsctl, as an Error; else its other output.
Error error_in(const std::string& words, int status) {
  constexpr std::string_view error_label = "error: ";
  constexpr std::string_view hint_label = "hint: ";
  constexpr std::size_t most_lines = 6;
  std::string message;
  std::string hint;
  for (const std::string& line : split(words, '\n')) {
    if (line.starts_with(error_label)) {
      message = line.substr(error_label.size());
      hint.clear();
    } else if (line.starts_with(hint_label)) {
      hint = trimmed(std::string_view(line).substr(hint_label.size()));
    } else if (!message.empty() && hint.empty() && line.starts_with("  ")) {
      message += concat("\n", trimmed(line.starts_with("  | ") ? line.substr(4) : line));
    }
  }
  if (message.empty()) message = telling_lines(words, most_lines);
  if (message.empty()) message = format("it ended with status {}", status);
  return Error(ErrorCode::step_failed, message, hint);
}

// Converts hints of a host for a reader at this workstation.
ToldWhere read_here(const Target& target, const TargetOptions& options, const Session& session) {
  ToldWhere where{.program = session.program, .target = target.text()};
  where.target_options = concat("--target ", typed_word(where.target));
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) where.target_options += concat(" ", name, " ", typed_word(value));
  };
  add("--identity", options.identity);
  add("--ssh-config", options.ssh_config);
  add("--jump", options.jump);
  return where;
}

// The requested form: the text, the document, or a document whose findings are not a failure.
enum class Form { text, json, fleet };

void run_one(const RemoteCommand& command, const CarriedProgram& program, Remote& remote,
             const TargetOptions& options, const Session& session, Form form, std::size_t columns,
             SharedEvents& events, RemoteResult& each) {
  const RemoteLine on_line = [&](std::string_view line) {
    if (!line.starts_with("error: ") && !line.starts_with("hint: "))
      events.note(concat(each.target.text(), ": ", printable(line)));
  };
  const RemoteRun run{.remote = remote,
                      .target = each.target,
                      .program = program,
                      .command = command,
                      .clock = *session.host.clock,
                      .on_line = on_line,
                      .on_silence = [&](std::chrono::seconds time) {
                        events.note(format("{}: nothing new for {} s; it is still at work",
                                           each.target.text(), time.count()));
                      }};
  if (form != Form::text) {
    each.report = run_remote(run);
    each.has_ended = true;
    const bool is_found = each.report.status == static_cast<int>(ExitCode::problems);
    if (form != Form::fleet || !is_found) require_success(each.report);
    return;
  }
  RemoteRun as_text = run;
  // In the form that it would have here.
  if (session.detail == Verbosity::quiet) as_text.command.words.emplace_back("--quiet");
  if (columns != 0) as_text.command.words.push_back(concat("--columns=", columns));
  const RemoteRunEnd end = run_remote_as_text(as_text);
  each.report.status = end.status;
  each.has_ended = true;
  const ToldWhere where = read_here(each.target, options, session);
  each.text = printable(end.report, Lines::keep);
  // A patch and rules are for programs.
  const bool is_data =
      std::any_of(command.words.begin(), command.words.end(), [](const std::string& word) {
        return word.starts_with("--patch") || word.starts_with("--export");
      });
  if (!is_data) each.text = told_where(where, each.text);
  if (end.status == 0) return;
  throw told_where(where, error_in(printable(end.last_words, Lines::keep), end.status));
}

// Commands that ask for approval ask once here for all targets: no person is at the targets.
void ask_for_all(const OptionTable& table, const std::vector<std::string>& words,
                 const std::vector<Target>& targets, const Session& session) {
  const auto is_given = [&](const char* name) {
    return table.find(name) != nullptr && table.has(name);
  };
  // The doctor asks before it patches.
  const bool asks =
      table.find("--yes") != nullptr && (table.find("--apply") == nullptr || table.has("--apply"));
  if (!asks || !is_to_be_asked(session, is_given("--yes"), is_given("--dry-run"))) return;
  std::string plan = format("topsctl {}\n", joined(words, " "));
  for (const Target& target : targets) plan += concat("  ", target.text(), "\n");
  plan += format("--dry-run shows the plan of each\n");
  require_approval(plan, format("Run it on {}? [y/N]", counted(targets.size(), "target")));
}

// As given.
std::string where_text(const TargetOptions& options) {
  std::vector<std::string> words;
  for (const std::string& target : options.targets)
    words.push_back(concat("--target ", typed_word(target)));
  if (!options.hosts_file.empty())
    words.push_back(concat("--hosts ", typed_word(options.hosts_file)));
  return joined(words, " ");
}

Output run_elsewhere(const OptionTable& table, const Elsewhere& options, RunAs run_as,
                     const std::optional<FleetView>& fleet, Session& session) {
  if (fleet) fleet->prepare();
  std::vector<RemoteResult> all;
  for (const Target& target : targets_of(options.where)) {
    RemoteResult& each = all.emplace_back();
    each.target = target;
  }
  const bool is_fleet =
      fleet && (session.json || !options.where.hosts_file.empty() || all.size() > 1);
  const Form form = is_fleet ? Form::fleet : session.json ? Form::json : Form::text;
  const CarriedProgram program = own_program();
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  RemoteCommand command;
  command.words = given_words(table, remote_group);
  if (fleet) command.words.insert(command.words.end(), fleet->words.begin(), fleet->words.end());
  command.run_as = run_as;
  if (fleet) command.most_ms = longest_look_ms;
  ask_for_all(table, command.words, targets_of(options.where), session);
  const std::vector<Secret> passwords = sudo_passwords(
      targets_of(options.where), options.sudo, ssh_options_of(options.where, session), secrets);
  SharedEvents events(*session.events);
  const std::size_t indent = all.size() > 1 ? below_target.size() : 0;
  const std::size_t columns =
      session.style.columns > indent ? session.style.columns - indent : session.style.columns;
  const auto results =
      for_each_target(all.size(), pool_options_of(options.where), [&](std::size_t index) {
        const auto remote = remote_of(all[index].target, options.where, session, secrets);
        RemoteCommand own_command = command;
        own_command.sudo_password = passwords[index];
        run_one(own_command, program, *remote, options.where, session, form, columns, events,
                all[index]);
      });
  std::vector<int> statuses;
  Json targets = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].result = results[i];
    statuses.push_back(all[i].has_ended ? all[i].report.status : -1);
    targets.push_back(target_json(all[i]));
  }
  Output output;
  output.header.command = table.name;
  output.header.warnings = ssh_warnings(options.where, session);
  output.header.error = error_of(results, IfRerun::starts_over);
  if (output.header.error)
    output.header.exit = common_exit(statuses, exit_code(output.header.error->code()));
  // The problems are in the reports of the targets, as on one host.
  if (output.header.exit == ExitCode::problems) output.header.error.reset();
  output.json = {{"targets", targets}};
  output.text = target_text(all, session.style);
  if (is_fleet) fleet->show(targets, where_text(options.where), session, output);
  output.changed = true;  // possibly: its status has priority over a closed standard output
  return output;
}

}  // namespace

ExitCode common_exit(const std::vector<int>& statuses, ExitCode otherwise) {
  constexpr std::array<ExitCode, 8> known = {ExitCode::failed,      ExitCode::usage,
                                             ExitCode::bad_input,   ExitCode::host_unfit,
                                             ExitCode::problems,    ExitCode::rollback_incomplete,
                                             ExitCode::rolled_back, ExitCode::unfinished};
  for (const ExitCode each : known) {
    const bool is_common = std::all_of(statuses.begin(), statuses.end(), [&](int status) {
      return status == static_cast<int>(each);
    });
    if (is_common && !statuses.empty()) return each;
  }
  return otherwise;
}

CommandAction also_elsewhere(OptionTable& table, CommandAction action, RunAs run_as) {
  auto options = std::make_shared<Elsewhere>();
  table.group = remote_group;
  table
      .value("--target", options->where.targets,
             "Target: [USER@]HOST[:PORT][/CONTAINER]; may be repeated", "TARGET")
      .lists("hosts");
  add_target_options(table, options->where);
  if (run_as == RunAs::root) add_sudo_options(table, options->sudo);
  return {[options, here = std::move(action.run), fleet = std::move(action.fleet), &table,
           run_as](Session& session) {
            const bool is_wanted =
                !options->where.targets.empty() || !options->where.hosts_file.empty();
            return is_wanted ? run_elsewhere(table, *options, run_as, fleet, session)
                             : here(session);
          },
          action.empty_body};
}

}  // namespace topsctl

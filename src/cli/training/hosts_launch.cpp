// Queries the hosts, starts their parts, and combines the results.
#include "cli/training/hosts_launch.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/training/asked_launch.hpp"
#include "cli/training/doctor_text.hpp"
#include "cli/training/launch_text.hpp"
#include "cli/training/rank_console.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/cluster/group_record.hpp"
#include "topsctl/engine/cluster/host_answers.hpp"
#include "topsctl/engine/cluster/host_group.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/engine/remote/target_pool.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* group_name = "On remote hosts";
constexpr std::array options_of_this_machine = {
    "--engine", "--detach",     "--job",           "--again", "--checkpoints",
    "--resume", "--restart-if", "--restart-delay", "--keep",  "--hosts-from",
    "--jobs",   "--canary",     "--max-failures"};
constexpr std::array options_of_hosts = {
    "--master",     "--chdir", "--container",  "--jobs",     "--max-failures",   "--canary",
    "--accept-new", "--jump",  "--ssh-config", "--identity", "--connect-timeout"};

struct Group {
  std::vector<Target> targets;
  std::vector<std::unique_ptr<Remote>> remotes;
  std::vector<HostAnswer> answers;
};

void require_options(const OptionTable& table, const LaunchRequest& request) {
  if (request.on_stall == name(OnStall::restart))
    throw Error(ErrorCode::usage, "--on-stall restart cannot be used with --hosts",
                "torchrun does not restart stalled ranks: use --on-stall stop");
  if (stall_ms(request) == 0)
    throw Error(ErrorCode::usage, "--stall 0 cannot be used with --hosts",
                "a disconnected host ends its ranks only when it detects a stall: --stall MINUTES");
  for (const char* name : options_of_this_machine) {
    if (!table.given(name).empty())
      throw Error(ErrorCode::usage, format("{} cannot be used with --hosts", name),
                  "omit one of the two");
  }
}

std::string directory_of(const HostsOptions& options) {
  const fs::path given =
      options.directory.empty() ? fs::current_path() : fs::path(options.directory);
  if (!given.is_absolute())
    throw Error(ErrorCode::usage, format("{} is not an absolute path", in_quotes(given.string())),
                "give the directory as it is on the hosts");
  return given.lexically_normal().string();
}

constexpr std::int64_t longest_question_ms = 300'000;

// The answer of one host to the same job in a dry run.
HostAnswer ask(const Target& target, Remote& remote, const CarriedProgram& program,
               const LaunchRequest& request, const std::string& directory, const Clock& clock) {
  RemoteCommand command;
  command.run_as = RunAs::login;
  command.words = {"launch", "--dry-run"};
  command.job = to_line(to_json(request));
  command.directory = directory;
  command.most_ms = longest_question_ms;
  const RemoteReport report = run_remote({.remote = remote,
                                          .target = target,
                                          .program = program,
                                          .command = std::move(command),
                                          .clock = clock,
                                          .on_line = [](std::string_view) {}});
  if (report.error) throw *report.error;
  HostAnswer answer = host_answer_in(to_line(report.document), target.text());
  answer.clock_offset_ms = report.clock_offset_ms;
  return answer;
}

std::vector<TargetResult> ask_all(Group& group, const CarriedProgram& program,
                                  const LaunchRequest& request, const std::string& directory,
                                  Session& session) {
  LaunchRequest asked = request;
  asked.log_folder.clear();
  group.answers.resize(group.targets.size());
  TargetPoolOptions at_once;
  at_once.jobs = static_cast<unsigned>(group.targets.size());
  return for_each_target(group.targets.size(), at_once, [&](std::size_t i) {
    group.answers[i] =
        ask(group.targets[i], *group.remotes[i], program, asked, directory, *session.host.clock);
  });
}

// Why nothing is started; nothing: all hosts have answered.
std::optional<Error> error_before_start(const std::vector<Target>& targets,
                                        const std::vector<TargetResult>& asked) {
  const auto failed = [](const TargetResult& result) { return result.error.has_value(); };
  const auto first = std::find_if(asked.begin(), asked.end(), failed);
  if (first == asked.end()) return std::nullopt;
  const std::string name = targets[static_cast<std::size_t>(first - asked.begin())].text();
  const auto count = static_cast<std::size_t>(std::count_if(asked.begin(), asked.end(), failed));
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].error)
      reasons.push_back(format("{}: {}", targets[i].text(), asked[i].error->message()));
  }
  return Error(first->error->code(),
               count == 1 ? format("{} cannot take part: nothing was started", name)
                          : format("{} and {} cannot take part: nothing was started", name,
                                   counted(count - 1, "other host")),
               "see their messages; all hosts must answer before a training is started", reasons);
}

// "HOST" or "HOST:PORT", an address of IPv6 in brackets.
Target master_in(const std::string& text) {
  const Target master = parse_target(text);
  if (!master.user.empty() || !master.container.empty() || master.is_local())
    throw Error(ErrorCode::usage,
                format("invalid --master {}: expected HOST[:PORT]", in_quotes(text)),
                "give the address at which the hosts reach the first one");
  return master;
}

void require_torchrun(const Group& group, const LaunchRequest& request) {
  const HostAnswer& first = group.answers.front();
  if (request.restart.most == 0 || first.engine == name(LaunchEngine::torchrun)) return;
  throw Error(ErrorCode::host_unfit,
              format("PyTorch on {} has no torchrun, which restarts ranks", first.target),
              "omit --max-restarts, or install PyTorch 1.9 or newer");
}

NodePlace place_of(const Group& group, const HostsOptions& options, const std::string& run) {
  NodePlace place;
  place.rendezvous = run;
  for (std::size_t i = 0; i < group.targets.size(); ++i) {
    const HostAnswer& answer = group.answers[i];
    const std::string known = group.targets[i].is_local() ? answer.name : group.targets[i].host;
    const bool is_own = answer.address.starts_with("127.") || answer.address == "::1";
    place.hosts.push_back({answer.name, answer.address.empty() ? known
                                        : is_own               ? answer.name
                                                               : answer.address});
  }
  place.master = place.hosts.front().address;
  if (options.master.empty()) return place;
  place.master = master_in(options.master).host;
  for (std::size_t i = 1; i < place.hosts.size(); ++i) {
    const NodeHost& other = place.hosts[i];
    if (place.master == other.address || place.master == other.name ||
        place.master == group.targets[i].host)
      throw Error(ErrorCode::usage, format("--master {} is not the first host", place.master),
                  "give an address of the first host, or put that host first");
  }
  return place;
}

std::string port_of(const Group& group, const HostsOptions& options, const LaunchRequest& request) {
  const unsigned port = options.master.empty() ? 0 : master_in(options.master).port;
  if (port > 0 && request.master_port > 0)
    throw Error(ErrorCode::usage, "both --master and --master-port set a port", "omit one of them");
  if (port > 0) return concat(port);
  return request.master_port > 0 ? concat(request.master_port) : group.answers.front().free_port;
}

LaunchCheck preflight_of(const Group& group, const LaunchRequest& request) {
  LaunchCheck preflight;
  preflight.checks = agreement_of(group.answers);
  for (const CheckResult& check : preflight.checks) {
    // Differences in rank counts or engines make the rank numbers ambiguous, so they cannot be
    // accepted.
    const bool is_accepted = check.id != "hosts-ranks" && check.id != "hosts-engines" &&
                             std::find(request.accepted.begin(), request.accepted.end(),
                                       check.id) != request.accepted.end();
    if (check.status == CheckStatus::fail && !is_accepted) preflight.refused.push_back(check.id);
  }
  return preflight;
}

// A torchrun that may restart ranks numbers them itself.
std::string hosts_text(const Group& group, const NodePlace& place, bool is_numbered,
                       const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"host", "address", "ranks"}};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < group.targets.size(); ++i) {
    const std::int64_t ranks = group.answers[i].ranks;
    rows.push_back({group.targets[i].text(), place.hosts[i].address,
                    is_numbered ? concat(first, "-", first + ranks - 1) : concat(ranks)});
    first += ranks;
  }
  return table(rows, style);
}

std::vector<std::string> names_of(const Group& group) {
  std::vector<std::string> names;
  for (const Target& target : group.targets) names.push_back(target.text());
  return names;
}

Json cluster_json(const Group& group, const NodePlace& place, const std::string& port,
                  const RankLayout& layout) {
  Json hosts = Json::array();
  for (std::size_t i = 0; i < group.targets.size(); ++i) {
    const HostAnswer& answer = group.answers[i];
    hosts.push_back({{"target", answer.target},
                     {"name", answer.name},
                     {"address", place.hosts[i].address},
                     {"ranks", answer.ranks},
                     {"clock_offset_ms", answer.clock_offset_ms},
                     {"digests", answer.digests},
                     {"versions", answer.versions},
                     {"refused", answer.refused}});
  }
  return {{"master", place.master},
          {"master_port", port},
          {"layout", to_json(layout, names_of(group))},
          {"hosts", std::move(hosts)}};
}

}  // namespace

void add_hosts_options(OptionTable& table, HostsOptions& options) {
  table.group = group_name;
  table
      .value("--target", options.where.targets,
             "Host of the training: [USER@]HOST[:PORT][/CONTAINER]", "TARGET")
      .lists("hosts");
  const std::size_t before = table.options.size();
  add_target_options(table, options.where);
  table.value("--master", options.master, "Rendezvous of the ranks; default: on the first host",
              "HOST[:PORT]");
  table.value("--chdir", options.directory,
              "Working directory on the hosts; default: the current one", "DIR");
  // The short help fits a screen; the page has them.
  for (std::size_t i = before; i < table.options.size(); ++i) {
    if (table.options[i].names.front() != "--hosts") table.options[i].hidden();
  }
}

void require_hosts(const OptionTable& table, const HostsOptions& options) {
  if (is_for_hosts(options)) return;
  for (const char* name : options_of_hosts) {
    if (table.has(name))
      throw Error(ErrorCode::usage, format("{} is only for a launch on several hosts", name),
                  "give the hosts: --hosts FILE, or --target HOST");
  }
}

bool is_for_hosts(const HostsOptions& options) {
  return !options.where.targets.empty() || !options.where.hosts_file.empty();
}

HostsLaunch run_hosts_launch(const HostsOptions& options, const ClusterOptions& layout_wishes,
                             const LaunchRequest& request, const Stack& stack,
                             const OptionTable& table, bool is_dry, Session& session) {
  require_options(table, request);
  const bool measures = !request.measurement.empty();
  if (request.words.empty() && !measures) require_script(request.words);
  if (!options.master.empty()) static_cast<void>(master_in(options.master));
  const std::string directory = directory_of(options);
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  Group group;
  group.targets = targets_of(options.where);
  if (group.targets.size() > static_cast<std::size_t>(most_nodes))
    throw Error(
        ErrorCode::usage,
        format("{} exceed the limit of {}", counted(group.targets.size(), "host"), most_nodes),
        "let a scheduler start it: --engine slurm|mpi|k8s");
  for (const Target& target : group.targets)
    group.remotes.push_back(remote_of(target, options.where, session, secrets));
  const CarriedProgram program = own_program();
  HostsLaunch done;
  done.output.header.command = "launch";
  const auto asked = ask_all(group, program, request, directory, session);
  throw_if_interrupted();
  done.output.header.error = error_before_start(group.targets, asked);
  if (done.output.header.error) {
    done.output.header.exit = exit_code(done.output.header.error->code());
    return done;
  }
  require_torchrun(group, request);
  const std::string run = new_run_name(session.host);
  NodePlace place = place_of(group, options, run);
  const std::string port = port_of(group, options, request);
  done.preflight = preflight_of(group, request);
  const RankLayout layout = layout_of(
      layout_wishes, static_cast<std::int64_t>(group.targets.size()), group.answers.front().ranks);
  done.cluster = cluster_json(group, place, port, layout);
  done.output.header.warnings = contradictions(layout, request.words);
  for (std::string& warning : profile_warnings(stack, request.settings.profile))
    done.output.header.warnings.push_back(std::move(warning));
  done.output.text = launch_check_text(done.preflight, session.style) +
                     hosts_text(group, place, request.restart.most == 0, session.style) +
                     layout_text(layout, names_of(group), session.style);
  if (!done.preflight.refused.empty() && !is_dry) {
    done.output.header.exit = ExitCode::problems;
    done.output.text +=
        concat(session.style.bold(format("state:")), " ", not_started_text(done.preflight));
    return done;
  }
  if (is_dry) return done;
  done.output.text.clear();
  GroupRequest wanted{.request = request,
                      .run = run,
                      .log_folder = log_folder_of(request, run),
                      .directory = directory,
                      .backend = stack.backend.name,
                      .place = place,
                      .master_port = port};
  if (table.given("--on-stall").empty()) wanted.request.on_stall = name(OnStall::stop);
  for (std::size_t i = 0; i < group.targets.size(); ++i)
    wanted.hosts.push_back({group.targets[i], *group.remotes[i], group.answers[i]});
  note_run(session.with_own_state(), run, wanted.log_folder.string());
  RankConsole console(session.json ? Stream::errors : Stream::output, session.style,
                      measures ? Verbosity::quiet : verbosity_of_ranks(session.detail));
  const Language language = used_language();
  const LaunchRecord record = launch_on_hosts(
      session.host, wanted, program, language,
      [&](const std::string& host, std::string_view line) { console.host_line(host, line); });
  console.end();
  if (!record.log_problem.empty()) done.output.header.warnings.push_back(record.log_problem);
  for (const HostRecord& host : record.hosts) {
    if (!host.problem.empty())
      done.output.text += concat(session.style.bold(host.target), " ", host.problem, "\n");
  }
  if (!measures || *record.status != 0)
    done.output.text += end_text(record, language, session.style);
  done.run = run;
  done.record = to_json(record);
  if (*record.status != 0) done.output.header.exit = ExitCode::problems;
  done.output.status = *record.status;
  return done;
}

}  // namespace topsctl

// topsctl launch: a training on all cards of this host.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/environment_text.hpp"
#include "cli/finding_text.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/training/asked_launch.hpp"
#include "cli/training/cluster_launch.hpp"
#include "cli/training/doctor_text.hpp"
#include "cli/training/hosts_launch.hpp"
#include "cli/training/launch_text.hpp"
#include "cli/training/prepared_launch.hpp"
#include "cli/training/rank_console.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/launch/launch_host.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/detached_run.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/environment_formats.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds look_again(20);
constexpr std::int64_t start_patience_ms = 30'000;

struct LaunchCommandOptions {
  LaunchRequest request;
  ClusterOptions cluster;
  HostsOptions hosts;
  std::vector<std::string> restart_if;
  std::string job;
  std::string again;
  bool detach = false;
  std::string detached_run;  // its name, from the process that ran the checks and detached it
  bool dry_run = false;
};

// Options that may be combined with --job and --again.
bool goes_with_job(const Option& option) {
  static const std::vector<std::string> names = {
      "--job",       "--again",  "--log-dir", "--detach", "--dry-run", "--detached-run",
      "--preflight", "--accept", "--engine",  "--emit",   "--submit"};
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(option.names.begin(), option.names.end(), name) != option.names.end();
  });
}

Json body_of(const LaunchCheck& preflight, const Json& run, const Json& plan, const Json& record,
             const Json& cluster = nullptr, const Json& host = nullptr,
             bool was_submitted = false) {
  Json findings = Json::array();
  for (const Finding& finding : preflight.findings) findings.push_back(to_json(finding));
  return {{"started", was_submitted || !record.is_null()},
          {"run", run},
          {"checks", to_json(preflight.checks)},
          {"findings", std::move(findings)},
          {"refused", preflight.refused},
          {"host", host},
          {"plan", plan},
          {"record", record},
          {"cluster", cluster}};
}

LaunchRequest request_of(const LaunchCommandOptions& options, const OptionTable& table,
                         const Session& session, ClusterOptions& in_cluster,
                         std::vector<std::string>& warnings) {
  if (options.job.empty() && options.again.empty()) {
    LaunchRequest request = options.request;
    if (session.program_words) request.words = *session.program_words;
    for (const std::string& list : options.restart_if) {
      for (std::string& id : split(list, ',')) request.restart.causes.push_back(std::move(id));
    }
    return request;
  }
  const std::string word = options.job.empty() ? "--again" : "--job";
  for (const Option& option : table.options) {
    const bool is_secret_again =
        !options.again.empty() &&
        std::find(option.names.begin(), option.names.end(), "--set") != option.names.end();
    if (!option.given.empty() && !goes_with_job(option) && !is_secret_again)
      throw Error(ErrorCode::usage, format("{} cannot be used with {}", option.names.front(), word),
                  "the job already sets it");
  }
  if (session.program_words)
    throw Error(ErrorCode::usage, format("a script cannot be used with {}", word),
                "the job already sets it");
  LaunchRequest request =
      options.job.empty()
          ? request_again(session.with_own_state(), options.again, options.request.settings.set,
                          options.request.accepted, warnings)
          : request_in_file(options.job, in_cluster);
  if (request.place && options.detached_run.empty())
    throw Error(
        ErrorCode::bad_input,
        format("{} is a part of a training on several hosts", in_quotes(options.job)),
        "start it from the host that launches the whole training: topsctl launch --hosts FILE");
  if (table.has("--log-dir")) request.log_folder = options.request.log_folder;
  if (table.has("--preflight")) request.level = options.request.level;
  for (const std::string& id : options.request.accepted) {
    if (id != accepted_change) request.accepted.push_back(id);  // applies to this run only
  }
  return request;
}

Output refused_output(const LaunchCheck& preflight, const Session& session, ReportHeader header) {
  Output output;
  output.header = std::move(header);
  output.header.exit = ExitCode::problems;
  output.text = concat(
      launch_check_text(preflight, session.style),
      fitted_lines(concat(session.style.bold(format("state:")), " ", not_started_text(preflight)),
                   session.style));
  output.json = body_of(preflight, nullptr, nullptr, nullptr);
  return output;
}

// Starts the same command again as a detached run with this request as its job.
Output detach(const LaunchRequest& request, const std::string& run, const LaunchWishes& wishes,
              const LaunchCheck& preflight, Session& session, Output output) {
  require_new_log_folder(wishes.log_folder);
  const Host host = session.with_own_state();
  LaunchRequest job = request;
  job.log_folder = wishes.log_folder.string();
  job.python = wishes.python;
  remove_old_runs(runs_folder(host) / "detached");
  const fs::path folder = runs_folder(host) / "detached" / run;
  const DetachedRun detached(folder, fs::current_path());
  // It may have secrets, so it is not written to any file.
  detached.start(
      {wishes.own_program, "launch", "--detached-run", run, "--json", "--job", "/proc/self/fd/0"},
      Secret(to_text(to_json(job))));
  const fs::path record = wishes.log_folder / record_name;
  const WaitLimit limit(start_patience_ms);
  while (!fs::exists(record) && detached.is_running() && !limit.is_over()) pause_for(look_again);
  if (!fs::exists(record))
    throw Error(ErrorCode::host_unfit, "the run did not start",
                format("see its output in {}", (folder / "report").string()));
  const Json begun = parse_json(read_text(record), in_quotes(record.string()));
  const std::string name = begun.at("run").get<std::string>();
  output.json = body_of(preflight, name, begun.at("plan"), begun);
  output.text = concat(
      session.style.bold(format("state:")), " ",
      format("{} is running; `topsctl runs logs {} --follow` shows rank 0", name, name), "\n");
  return output;
}

Output run_launch(const LaunchCommandOptions& options, const OptionTable& table, Session& session) {
  std::vector<std::string> again_warnings;
  ClusterOptions in_cluster = options.cluster;
  LaunchRequest request = request_of(options, table, session, in_cluster, again_warnings);
  const Stack stack = stack_on(session.host, request.stack);
  const DiagnosisCatalogue catalogue = known_diagnoses(stack.backend.name);
  require_hosts(table, options.hosts);
  require_engine(table, in_cluster, is_for_hosts(options.hosts));
  if (is_for_hosts(options.hosts)) {
    require_sense(request, catalogue);
    HostsLaunch done = run_hosts_launch(options.hosts, options.cluster, request, stack, table,
                                        options.dry_run, session);
    done.output.json = body_of(done.preflight, done.run, nullptr, done.record, done.cluster);
    return std::move(done.output);
  }
  if (in_cluster.engine.empty() && request.measurement.empty()) require_script(request.words);
  require_sense(request, catalogue);
  const Host& host = session.host;
  if (!in_cluster.engine.empty()) {
    std::vector<std::string> ignored;
    const Environment environment =
        environment_for_programs(host, stack, request.settings, ignored);
    LaunchCheck settings;
    look_at_settings(joined_environment({}, environment), stack, request, settings);
    if (!settings.refused.empty() && !options.dry_run)
      return refused_output(settings, session, {"launch", {}, {}, {}});
    auto [output, cluster, was_started] =
        run_cluster_launch(in_cluster, request, stack, table, options.dry_run, session);
    output.header.warnings.insert(output.header.warnings.begin(), again_warnings.begin(),
                                  again_warnings.end());
    output.text = concat(launch_check_text(settings, session.style), output.text);
    output.json = body_of(settings, nullptr, nullptr, nullptr, cluster, nullptr, was_started);
    return std::move(output);
  }
  require_usable_host(host, Purpose::look);
  const bool is_detached = !options.detached_run.empty();
  const std::string run = is_detached ? options.detached_run : new_run_name(host);
  Output output;
  output.header.command = "launch";
  output.header.warnings = again_warnings;
  PreparedLaunch prepared = prepared_launch(request, run, stack, catalogue, is_detached, session);
  output.header.warnings.insert(output.header.warnings.end(), prepared.warnings.begin(),
                                prepared.warnings.end());
  const LaunchCheck& preflight = prepared.preflight;
  if (!preflight.refused.empty() && !options.dry_run)
    return refused_output(preflight, session, output.header);
  complete_launch(prepared, request, run, stack, session);
  const LaunchWishes& wishes = prepared.wishes;
  LaunchRecord& begun = prepared.begun;
  if (options.detach && !options.dry_run)
    return detach(request, run, wishes, preflight, session, std::move(output));
  if (options.dry_run) {
    LaunchWishes shown = wishes;
    shown.log_folder /= "attempt_0";
    if (shown.master_port.empty()) shown.master_port = free_port();
    const LaunchPlan plan = plan_launch(shown);
    output.text =
        concat(launch_check_text(preflight, session.style), plan_text(plan, begun, session.style));
    begun.plan = plan;
    output.json = body_of(preflight, nullptr, to_json(begun).at("plan"), nullptr, nullptr,
                          {{"name", name_of_this_host()},
                           {"address", text_or_null(address_of_server(host.environment))},
                           {"digests", begun.digests},
                           {"versions", begun.versions}});
    return output;
  }
  if (request.level == no_preflight)
    for (const Finding& finding : preflight.findings)
      session.events->warning(setting_warning(finding));
  note_run(session.with_own_state(), run, wishes.log_folder.string());
  RankConsole console(
      session.json ? Stream::errors : Stream::output, session.style,
      is_detached && !request.place ? Verbosity::quiet : verbosity_of_ranks(session.detail));
  if (request.place && request.place->node > 0) console.leave_ranks_out();
  const Language language = used_language();
  const LaunchRecord record = launch(host, wishes, std::move(begun), language, console);
  console.end();
  if (!record.log_problem.empty()) output.header.warnings.push_back(record.log_problem);
  output.text = end_text(record, language, session.style);
  const Json told = to_json(record);
  output.json = body_of(preflight, run, told.at("plan"), told);
  if (*record.status != 0) output.header.exit = ExitCode::problems;
  output.status = *record.status;
  return output;
}

void add_restart_options(OptionTable& table, LaunchCommandOptions& options) {
  LaunchRequest& request = options.request;
  RestartRules& restart = request.restart;
  table
      .value("--max-restarts", restart.most, "Restart at most N times after failures; default: 0",
             "N")
      .check(whole_number(0, most_restarts));
  table.value("--restart-if", options.restart_if,
              "Also restart after these causes, unknown, or any; else where it helps", "ID,...");
  table
      .value("--restart-delay", restart.delay_s,
             "Wait this long before a restart; default: 5, then twice as long each time", "S")
      .check(whole_number(1, most_restart_delay_s))
      .hidden();
  table.value("--checkpoints", restart.checkpoints,
              "Directory where the script writes its checkpoints", "DIR");
  table.value("--resume", restart.resume,
              "Added to a restart: '--resume-from {checkpoint}', of the newest whole one", "WORDS");
  table.value("--keep", restart.keep, "Keep only the N newest checkpoints of this run", "N")
      .check(whole_number(1, most_restarts));
  table.value("--stall", request.stall_minutes,
              "Report a stall after this long; 0: never; default: 15", "MINUTES");
  table
      .value("--shim", request.shim,
             "Run a program for CUDA as it is: auto, always or never; default: auto", "WHEN")
      .choices(shim_choices());
  table.value("--on-stall", request.on_stall, "Action on a stall: report, stop or restart", "WHAT")
      .choices(on_stall_names());
}

}  // namespace

CommandAction define_launch(OptionTable& table) {
  auto options = std::make_shared<LaunchCommandOptions>();
  table.extra_word_hint = "give the script after '--': topsctl launch -- SCRIPT ARGS...";
  LaunchRequest& request = options->request;
  table.value("--nproc", request.ranks, "Number of processes; default: one per card", "N")
      .check(whole_number(1, most_ranks));
  table.value("--cards", request.cards, "Use only these cards, such as 0,1,2,3", "LIST");
  table.value("--stack", request.stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--python", request.python, "Interpreter; default: the stack's", "EXE");
  std::vector<std::string> levels = level_names();
  levels.emplace_back(no_preflight);
  table
      .value("--preflight", request.level,
             "Check the host up to this level first, or none; default: device", "LEVEL")
      .choices(levels);
  table.value("--accept", request.accepted, "Start despite this failed check", "ID");
  table.value("--log-dir", request.log_folder, "New directory for the logs", "DIR");
  table.value("--master-port", request.master_port, "Rendezvous port; default: a free one", "PORT")
      .check(whole_number(1, most_port));
  add_setting_options(table, request.settings);
  add_library_option(table, request.settings);
  add_restart_options(table, *options);
  table.flag("-d,--detach", options->detach, "Run in the background; `topsctl runs` shows it");
  table.value("--job", options->job, "Start the job in this file", "FILE.json").excludes("--again");
  table.value("--again", options->again, "Repeat a run, unless one of its files has changed",
              "RUN");
  table
      .value("--detached-run", options->detached_run, "Name of a run that is already checked",
             "RUN")
      .check([](const std::string& name) {
        return is_run_name(name) ? std::string() : std::string("invalid run name");
      })
      .hidden();
  add_cluster_options(table, options->cluster);
  table.flag("-n,--dry-run", options->dry_run, "Print command, environment and checks");
  add_hosts_options(table, options->hosts);
  // The short help fits a screen; the page has them.
  for (const char* name : {"--restart-if", "--restart-delay", "--keep", "--master-port"})
    table.option(name).hidden();
  return {[options, &table](Session& session) { return run_launch(*options, table, session); },
          body_of({}, nullptr, nullptr, nullptr)};
}

}  // namespace topsctl

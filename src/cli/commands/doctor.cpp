// topsctl doctor: diagnoses a training.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/approval.hpp"
#include "cli/command.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/training/doctor_project.hpp"
#include "cli/training/doctor_text.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/environment_check.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/log_files.hpp"
#include "topsctl/engine/diagnosis/support_bundle.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/operations/patcher.hpp"
#include "topsctl/engine/reporting/npd_export.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/given_files.hpp"

namespace topsctl {

namespace {

struct DoctorCommandOptions {
  std::string stack;
  std::string python;
  std::string level = "load";
  std::vector<std::string> pids;
  std::vector<std::string> logs;
  std::vector<std::string> more_logs;  // after the first, as the shell expands *.log
  ProjectCommandOptions project;
  std::optional<std::string> exit_status;
  std::vector<std::string> only;
  std::vector<std::string> except;
  std::string explain;
  std::string form;     // of --export
  std::string support;  // the file
  std::vector<std::string> with;
  bool hide_addresses = false;
  bool list = false;
  bool no_sandbox = false;
};

constexpr std::int64_t most_exit_status = 255;
constexpr std::int64_t most_pid = 4'194'304;

std::vector<std::string> ids_in(const std::vector<std::string>& lists) {
  std::vector<std::string> ids;
  for (const std::string& list : lists) {
    for (std::string& id : split(list, ',')) ids.push_back(std::move(id));
  }
  return ids;
}

void require_known(const std::string& id, const DiagnosisCatalogue& catalogue) {
  if (catalogue.find(id) != nullptr) return;
  std::vector<std::string> known;
  for (const Diagnosis& each : catalogue.diagnoses) known.push_back(each.finding.id);
  throw Error(ErrorCode::usage,
              format("unknown diagnosis {}{}", in_quotes(id), did_you_mean(id, known)),
              "`topsctl doctor --list` lists them");
}

// The records that are wanted; their order stays.
DiagnosisCatalogue chosen(const DiagnosisCatalogue& all, const DoctorCommandOptions& options) {
  const std::vector<std::string> only = ids_in(options.only);
  const std::vector<std::string> except = ids_in(options.except);
  for (const auto* ids : {&only, &except}) {
    for (const std::string& id : *ids) require_known(id, all);
  }
  const auto has = [](const std::vector<std::string>& ids, const std::string& id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  DiagnosisCatalogue catalogue;
  catalogue.signs = all.signs;
  for (const Diagnosis& each : all.diagnoses) {
    const std::string& id = each.finding.id;
    if ((only.empty() || has(only, id)) && !has(except, id)) catalogue.diagnoses.push_back(each);
  }
  return catalogue;
}

Detail detail_in(const Session& session) {
  return session.detail == Verbosity::verbose ? Detail::full : Detail::brief;
}

Output output_of(const DoctorReport& report, std::string text, ReportHeader header) {
  Output output;
  output.header = std::move(header);
  output.header.command = "doctor";
  output.json = to_json(report);
  output.text = std::move(text);
  return output;
}

Output list(const DiagnosisCatalogue& catalogue, DoctorReport report, const Style& style) {
  for (const Diagnosis& each : catalogue.diagnoses) report.catalogue.push_back(&each);
  std::string text = render_diagnosis_list(report, style);
  return output_of(report, std::move(text), {});
}

Output explain(const DiagnosisCatalogue& catalogue, const std::string& id, DoctorReport report,
               const Style& style) {
  require_known(id, catalogue);
  report.catalogue.push_back(catalogue.find(id));
  return output_of(report, render_diagnosis(*catalogue.find(id), report.language, style), {});
}

Output export_rules(const DiagnosisCatalogue& catalogue, const DoctorReport& report) {
  Output output = output_of(report, to_text(npd_configuration(catalogue)), {});
  output.is_data = true;
  return output;
}

// Logs that could not be read do not count as healthy.
void require_any_read(const LogTimeline& story, const Judgement& judgement) {
  const auto& sources = story.sources;
  const bool is_any_read = std::any_of(sources.begin(), sources.end(), [](const LogSource& source) {
    return source.problem.empty();
  });
  if (is_any_read || sources.empty() || judgement.has_failed) return;
  throw Error(ErrorCode::bad_input,
              format("cannot read {}, first: {}: {}", counted(sources.size(), "log"),
                     in_quotes(sources.front().path), sources.front().problem),
              "give the log itself, as text or compressed once");
}

Output read(const DiagnosisCatalogue& catalogue, const DoctorCommandOptions& options,
            DoctorReport report, Session& session) {
  ReportHeader header;
  const SandboxWish wish{sandboxing_of(options.no_sandbox),
                         [&](const std::string& warning) { header.warnings.push_back(warning); }};
  const LogMatcher matcher(catalogue);
  const LogTimeline story = read_logs(matcher, find_log_files(options.logs), wish);
  std::optional<int> status;
  if (options.exit_status) status = std::stoi(*options.exit_status);
  report.judgement = judge_logs(catalogue, story, status, report.language);
  report.sources = story.sources;
  require_any_read(story, *report.judgement);
  for (const LogSource& source : report.sources) {
    if (!source.problem.empty())
      header.warnings.push_back(
          format("{} was not read completely: {}", in_quotes(source.path), source.problem));
  }
  if (report.judgement->verdict != JobVerdict::healthy) header.exit = ExitCode::problems;
  std::string text = render_doctor(report, detail_in(session), session.style);
  return output_of(report, std::move(text), std::move(header));
}

Output look(const DiagnosisCatalogue& catalogue, const Stack& stack,
            const DoctorCommandOptions& options, DoctorReport report, Session& session) {
  require_usable_host(session.host, Purpose::look);
  ReportHeader header;
  header.warnings = unfinished_warnings(session.host);
  std::vector<std::int64_t> pids;
  for (const std::string& pid : options.pids) pids.push_back(std::stoll(pid));
  MachineFacts facts;
  facts.state = look_at_machine(session.host, stack, pids);
  VerifyOptions checks;
  checks.highest = *level_named(options.level);
  checks.events = session.events;
  facts.checks = run_checks(session.host, stack, stack.checks, options.python, checks).checks;
  facts.environment =
      check_environment(session.host, stack, std::nullopt, header.warnings).findings;
  report.judgement = judge_machine(catalogue, facts, report.language);
  report.machine = std::move(facts);
  if (report.judgement->verdict != JobVerdict::healthy) header.exit = ExitCode::problems;
  std::string text = render_doctor(report, detail_in(session), session.style);
  return output_of(report, std::move(text), std::move(header));
}

Output pack(const DiagnosisCatalogue& catalogue, const Stack& stack,
            const DoctorCommandOptions& options, DoctorReport report, Session& session) {
  require_folder_of(options.support);
  Output output = look(catalogue, stack, options, report, session);
  SupportContents contents;
  contents.texts = {
      {"doctor.json", to_text(document(output.header, output.json))},
      {"doctor.txt", output.text},
  };
  contents.paths = options.with;
  contents.addresses = options.hide_addresses ? Addresses::hidden : Addresses::shown;
  const SupportBundle bundle = write_support_bundle(session.host, options.support, contents);
  for (const std::string& what : bundle.left_out)
    output.header.warnings.push_back(format("omitted: {}", what));
  output.text += concat(session.style.bold(format("support:")), " ",
                        format("{} with {}; {} blanked, which its file 'blanked' lists: review it "
                               "before you send it",
                               printable(options.support), counted(bundle.names.size(), "file"),
                               counted(bundle.blanked, "secret")),
                        "\n");
  return output;
}

AppliedPatch apply(const ProjectCommandOptions& options, const ProjectReading& reading,
                   Session& session) {
  PatchRequest request;
  request.project = options.folder;
  request.requester = {requesting_user(session.host.environment), session.command_line};
  return apply_patch(session.with_own_state(), request, reading, *session.events);
}

Output look_at_project(const DiagnosisCatalogue& catalogue, const Stack& stack,
                       const DoctorCommandOptions& options, DoctorReport report, Session& session) {
  if (!options.logs.empty())
    throw Error(ErrorCode::usage, "logs and a project cannot be diagnosed together",
                "give either --log or --project");
  ReportHeader header;
  const SandboxWish wish{sandboxing_of(options.no_sandbox),
                         [&](const std::string& warning) { header.warnings.push_back(warning); }};
  const ProjectOptions project = project_options_of(options.project, stack);
  const ProjectReading reading = read_project(options.project.folder, project, wish);
  if (options.project.patch || options.project.apply) report.patch = patch_of(reading);
  bool is_changed = false;
  if (options.project.apply && !reading.changes.empty() &&
      is_to_be_asked(session, options.project.yes, false))
    require_approval(reading.diff,
                     format("Apply to {}? [y/N]", counted(reading.changes.size(), "file")));
  if (options.project.apply) {
    const auto [applied, files] = apply(options.project, reading, session);
    report.patch->files = files;
    report.patch->transaction = applied.report.transaction;
    report.patch->outcome = applied.report.outcome;
    header.warnings.insert(header.warnings.end(), applied.warnings.begin(), applied.warnings.end());
    header.error = applied.error;
    header.exit = applied.exit;
    is_changed = applied.report.changed;
  }
  report.judgement = judge_project(
      catalogue, options.project.apply ? rest_of(reading, report.patch->files) : reading,
      project.target.api != cuda_api, report.language);
  report.places = reading.places;
  for (std::string& warning : project_warnings(reading))
    header.warnings.push_back(std::move(warning));
  if (header.exit == ExitCode::done && report.judgement->verdict != JobVerdict::healthy)
    header.exit = ExitCode::problems;
  std::string text =
      render_project(report, reading, options.project, detail_in(session), session.style);
  Output output = output_of(report, std::move(text), std::move(header));
  output.changed = is_changed;
  output.is_data = options.project.patch;
  return output;
}

// The words after `--log PATH` are logs too. A run is replaced by its log directory and its status.
DoctorCommandOptions with_all_logs(DoctorCommandOptions options, const Session& session) {
  if (options.logs.empty() && !options.more_logs.empty())
    throw Error(ErrorCode::usage, format("unexpected {}", in_quotes(options.more_logs.front())),
                "logs stand behind --log");
  options.logs.insert(options.logs.end(), options.more_logs.begin(), options.more_logs.end());
  for (std::string& log : options.logs) {
    if (log == "-" || log.find('/') != std::string::npos || std::filesystem::exists(log)) continue;
    const std::vector<Run> runs = all_runs(session.with_own_state());
    const auto meant = std::find_if(runs.rbegin(), runs.rend(), [&](const Run& run) {
      return log == run.name || log == "last";
    });
    if (meant == runs.rend()) continue;
    log = meant->log_folder;
    if (options.logs.size() == 1 && !options.exit_status && meant->record.status)
      options.exit_status = concat(*meant->record.status);
  }
  return options;
}

Output run_doctor(const DoctorCommandOptions& given, Session& session) {
  const DoctorCommandOptions options = with_all_logs(given, session);
  DoctorReport report;
  report.language = used_language();
  const Stack stack = stack_on(session.host, options.stack);
  const DiagnosisCatalogue known = known_diagnoses(stack.backend.name);
  const DiagnosisCatalogue catalogue = chosen(known, options);
  if (options.list) return list(catalogue, report, session.style);
  if (!options.explain.empty()) return explain(known, options.explain, report, session.style);
  require_project(options.project);
  if (!options.project.folder.empty())
    return look_at_project(catalogue, stack, options, report, session);
  if (!options.form.empty()) return export_rules(catalogue, report);
  if (!options.support.empty()) return pack(catalogue, stack, options, report, session);
  if (options.logs.empty()) return look(catalogue, stack, options, report, session);
  return read(catalogue, options, report, session);
}

}  // namespace

CommandAction define_doctor(OptionTable& table) {
  auto options = std::make_shared<DoctorCommandOptions>();
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--python", options->python, "Interpreter to check", "EXE");
  table.value("--level", options->level, "Highest check level; default: load", "LEVEL")
      .choices(level_names());
  table.value("--pid", options->pids, "Also check this process", "PID")
      .check(whole_number(1, most_pid));
  table
      .value("--log", options->logs,
             "Log files, directories, archives, or a run; - for standard input", "PATH...")
      .lists("runs");
  table.argument("LOG", options->more_logs, "More logs, behind --log", "PATH").hidden();
  table.value("--exit-status", options->exit_status, "Exit status of the job", "N")
      .check(whole_number(0, most_exit_status));
  add_project_options(table, options->project);
  table.value("--support", options->support, "Write a file for support", "FILE.tar.zst")
      .check(zstd_archive());
  table.value("--with", options->with, "Add this log or directory to it", "PATH");
  table
      .flag("--hide-addresses", options->hide_addresses,
            "Replace addresses by address-1, ... in it")
      .hidden();
  table.flag("--list", options->list, "List all diagnoses");
  table.value("--explain", options->explain, "Explain a diagnosis in full", "ID")
      .lists("diagnoses");
  table.value("--export", options->form, "Print the patterns for another program", "FORM")
      .choices({"npd"})
      .hidden();
  table.value("--only", options->only, "Look only for these", "ID,...").lists("diagnoses");
  table.value("--except", options->except, "Skip these diagnoses", "ID,...").lists("diagnoses");
  add_sandbox_option(table, options->no_sandbox);
  return {[options](Session& session) { return run_doctor(*options, session); },
          to_json(DoctorReport{})};
}

}  // namespace topsctl

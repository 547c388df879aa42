// Makes and emits the files of an engine.
#include "cli/training/cluster_launch.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/finding_text.hpp"
#include "cli/render.hpp"
#include "cli/training/asked_launch.hpp"
#include "cli/training/doctor_text.hpp"
#include "cli/training/rank_console.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/cluster/cluster_job.hpp"
#include "topsctl/engine/cluster/host_names.hpp"
#include "topsctl/engine/cluster/known_launchers.hpp"
#include "topsctl/engine/cluster/submission.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/launch/secret_marks.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t most_batch = 1'000'000'000;
constexpr std::int64_t default_port = 29'500;  // of torchrun
constexpr std::array options_of_engines = {"--hosts-from", "--host-count", "--emit",
                                           "--submit",     "--job-name",   "--image",
                                           "--volume",     "--engine-arg"};
constexpr std::array options_of_layouts = {"--tp", "--pp", "--micro-batch", "--global-batch"};
// Other options that may be combined with --engine.
constexpr std::array options_with_engines = {
    "--engine",  "--nproc",   "--stack", "--python", "--log-dir",     "--master-port",
    "--profile", "--set",     "--unset", "--resume", "--checkpoints", "--forget-settings",
    "--library", "--dry-run", "--shim",  "--accept", "--preflight",   "--job"};

template <class List>
bool is_one_of(const Option& option, const List& list) {
  return std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  });
}

std::string number_or_dash(std::int64_t number) {
  return number == 0 ? std::string("-") : concat(number);
}

ClusterWishes wishes_of(const ClusterOptions& options, const LaunchRequest& request,
                        const std::string& run) {
  ClusterWishes wishes;
  wishes.name = options.job_name.empty() ? job_name_of(request.words) : options.job_name;
  if (!options.hosts.empty()) wishes.hosts = host_names_in(options.hosts);
  wishes.port = request.master_port > 0 ? request.master_port : default_port;
  wishes.directory = fs::current_path();
  wishes.log_folder =
      fs::absolute(request.log_folder.empty() ? fs::path("topsctl-logs") / wishes.name
                                              : fs::path(request.log_folder))
          .lexically_normal();
  wishes.emit_folder = fs::absolute(!options.emit_folder.empty() ? fs::path(options.emit_folder)
                                    : options.submit ? wishes.log_folder / concat("job-", run)
                                                     : fs::path("."))
                           .lexically_normal();
  if (!wishes.emit_folder.has_filename()) wishes.emit_folder = wishes.emit_folder.parent_path();
  wishes.python = request.python.empty() ? "python3" : request.python;
  wishes.words = request.words;
  if (!request.restart.checkpoints.empty())
    wishes.checkpoints = fs::absolute(request.restart.checkpoints).lexically_normal();
  wishes.resume = request.restart.resume;
  wishes.image = options.image;
  for (const std::string& each : options.volumes) wishes.volumes.push_back(job_volume_in(each));
  wishes.engine_arguments = options.engine_arguments;
  return wishes;
}

void require_needs(const JobTemplate& form, const TemplateValues& values, bool is_job_file) {
  const std::vector<std::string> missing = missing_values(form, values);
  if (missing.empty()) return;
  const std::string& need = missing.front();
  std::string way_out =
      is_job_file ? format("add it to `cluster` in the job file") : format("give --{}", need);
  if (need == "hosts" && !is_job_file) way_out = "give --hosts-from 'n[00-15]'";
  if (need == "gres" || need == "resource")
    way_out = format("set accelerator.{} in the stack file", need);
  throw Error(ErrorCode::usage, format("engine {} needs {}", in_quotes(form.name), need), way_out);
}

// Rejects options for which this engine's files have no placeholder.
void require_places(const JobTemplate& form, const OptionTable& table, bool has_checkpoints) {
  static const std::vector<std::pair<const char*, const char*>> places = {
      {"--image", "image"},
      {"--volume", "volumes"},
      {"--engine-arg", "engine_arguments"},
      {"--checkpoints", "resume"},
      {"--resume", "resume"}};
  for (const auto& [option, word] : places) {
    const bool is_given =
        table.has(option) || (has_checkpoints && word == std::string_view("resume"));
    if (is_given && !uses(form, word))
      throw Error(ErrorCode::usage,
                  format("{} cannot be used with engine {}", option, in_quotes(form.name)),
                  "the files of this engine do not support it");
  }
}

// Whether a pod's path outlives the pod.
bool is_on_volume(const std::vector<JobVolume>& volumes, const fs::path& path) {
  return std::any_of(volumes.begin(), volumes.end(), [&](const JobVolume& volume) {
    const fs::path relative = path.lexically_relative(volume.path);
    return !relative.empty() && *relative.begin() != "..";
  });
}

// The files for the report: without the values of secrets.
std::vector<JobFile> shown_files(const JobTemplate& form, ClusterWishes wishes,
                                 const RankLayout& layout, const Stack& stack,
                                 Environment environment) {
  mark_secrets(wishes.words, wishes.name);
  mark_secrets(wishes.engine_arguments, wishes.name);
  for (EnvironmentVariable& each : environment.variables)
    each.value = value_or_mark(wishes.name, each.name, each.value);
  return filled(form, job_values(wishes, layout, stack, environment));
}

Json files_json(const std::vector<JobFile>& files) {
  Json list = Json::array();
  for (const JobFile& file : files)
    list.push_back({{"name", file.name}, {"executable", file.is_executable}, {"text", file.text}});
  return list;
}

Json submitted_json(const SubmittedJob& job) {
  Json json = {{"status", job.status},
               {"ended_by", job.ended_by ? Json(*job.ended_by) : Json(nullptr)},
               {"log_folders", job.log_folders}};
  json.update(to_json(job.judgement));
  return json;
}

// Stays until the job has ended.
Json submit_files(const JobTemplate& form, const std::string& backend,
                  const std::vector<std::string>& command, const fs::path& folder, Output& output,
                  Session& session) {
  RankConsole console(session.json ? Stream::errors : Stream::output, session.style,
                      verbosity_of_ranks(session.detail));
  Submission submission{.command = command,
                        .environment = session.host.environment,
                        .folder = folder,
                        .backend = backend,
                        .language = used_language(),
                        .on_engine_line = [&](auto line) { console.host_line(form.name, line); },
                        .on_rank_line = [&](auto line) { console.line(0, line); }};
  const SubmittedJob job = submit_job(submission);
  console.end();
  if (job.log_folders.empty() && !job.ended_by)
    throw Error(ErrorCode::step_failed,
                format("the job was not submitted: exit status {} of {}", job.status,
                       in_quotes(command.front())),
                format("see its output in {}", (folder / "submit.log").string()));
  if (!job.log_problem.empty()) output.header.warnings.push_back(job.log_problem);
  output.text.clear();
  if (job.judgement) {
    DoctorReport report;
    report.language = submission.language;
    report.judgement = *job.judgement;
    output.text = render_doctor(report, Detail::brief, session.style);
  }
  const std::string what = job.ended_by      ? format("ended by signal {}", *job.ended_by)
                           : job.status == 0 ? std::string("the job succeeded")
                                             : format("exit status {}", job.status);
  output.text += concat(session.style.bold(format("state:")), " ",
                        job.log_folders.empty() ? what
                                                : format("{}; logs in {}", what,
                                                         printable(joined(job.log_folders, ", "))),
                        "\n");
  output.status = job.status;
  if (job.status != 0) output.header.exit = ExitCode::problems;
  return submitted_json(job);
}

// An engine that refuses root would report it only when the job is started, on another day or host.
void warn_of_root(const JobTemplate& form, const ClusterWishes& wishes, Output& output) {
  const std::vector<std::string>& given = wishes.engine_arguments;
  if (form.as_root.empty() || !is_root_user() ||
      std::find(given.begin(), given.end(), form.as_root) != given.end())
    return;
  output.header.warnings.push_back(
      format("{} does not start for root: add --engine-arg={}, or start the job as another user",
             form.name, form.as_root));
}

}  // namespace

bool is_job_name(const std::string& name) {
  constexpr std::size_t longest = 40;
  const auto is_alphanumeric = [](unsigned char c) { return c < 128U && std::isalnum(c) != 0; };
  return !name.empty() && name.size() <= longest && is_alphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](unsigned char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

RankLayout layout_of(const ClusterOptions& options, std::int64_t hosts, std::int64_t ranks_each) {
  LayoutWishes wishes;
  wishes.hosts = hosts;
  wishes.ranks_each = ranks_each;
  wishes.tensor = options.tensor;
  wishes.pipeline = options.pipeline;
  wishes.micro_batch = options.micro_batch;
  wishes.global_batch = options.global_batch;
  return lay_out(wishes);
}

std::string layout_text(const RankLayout& layout, const std::vector<std::string>& hosts,
                        const Style& style) {
  const LayoutWishes& wishes = layout.wishes;
  std::string text =
      table({{"hosts", "ranks", "TP", "PP", "DP", "micro batch", "global batch", "accumulation"},
             {concat(wishes.hosts), concat(layout.ranks), concat(wishes.tensor),
              concat(wishes.pipeline), concat(layout.data), number_or_dash(wishes.micro_batch),
              number_or_dash(layout.global_batch), number_or_dash(layout.accumulation)}},
            style);
  if (wishes.pipeline == 1) return text;
  const auto name_of = [&](std::int64_t host) {
    const auto place = static_cast<std::size_t>(host);
    return place < hosts.size() ? hosts[place] : concat(host);
  };
  std::vector<std::vector<std::string>> rows = {{"stage", "first host", "last host"}};
  const std::vector<PipelineStage> stages = stages_of(layout);
  for (std::size_t i = 0; i < stages.size(); ++i)
    rows.push_back({concat(i), name_of(stages[i].first_host), name_of(stages[i].last_host)});
  return text + table(rows, style);
}

void add_cluster_options(OptionTable& table, ClusterOptions& options) {
  table
      .value("--engine", options.engine, "Generate files for slurm, mpi, k8s, or a custom engine",
             "ENGINE")
      .excludes("--detach")
      .excludes("--again");
  table.value("--hosts-from", options.hosts, "Hosts, such as 'n[00-15],m1'", "LIST")
      .excludes("--host-count");
  table
      .value("--host-count", options.host_count, "Number of hosts; the scheduler chooses them", "N")
      .check(whole_number(1, static_cast<std::int64_t>(most_cluster_hosts)))
      .hidden();
  table.value("--tp", options.tensor, "Tensor parallel size; default: 1", "N")
      .check(whole_number(1, most_ranks))
      .hidden();
  table.value("--pp", options.pipeline, "Pipeline parallel size; default: 1", "N")
      .check(whole_number(1, most_ranks))
      .hidden();
  table.value("--micro-batch", options.micro_batch, "Micro batch size", "N")
      .check(whole_number(1, most_batch))
      .hidden();
  table.value("--global-batch", options.global_batch, "Global batch size", "N")
      .check(whole_number(1, most_batch))
      .hidden();
  table.value("--emit", options.emit_folder, "Write the files to this new directory", "DIR");
  table.flag("--submit", options.submit, "Submit the files, follow the job, and say why it failed");
  table
      .value("--job-name", options.job_name, "Job name; default: from the name of the script",
             "NAME")
      .check([](const std::string& name) {
        return is_job_name(name) ? std::string()
                                 : std::string(
                                       "expected at most 40 letters, digits, '-' and '_', with a "
                                       "letter or digit at both ends");
      })
      .hidden();
  table.value("--image", options.image, "Container image of the pods", "IMAGE").hidden();
  table
      .value("--volume", options.volumes,
             "Mount in the pods: hostPath:DIR:PATH, nfs:SERVER:DIR:PATH or pvc:CLAIM:PATH",
             "VOLUME")
      .hidden();
  table
      .value("--engine-arg", options.engine_arguments,
             "Pass to sbatch or mpirun: '--partition=gcu'", "WORD")
      .hidden();
}

void require_engine(const OptionTable& table, const ClusterOptions& options, bool has_hosts) {
  for (const Option& option : table.options) {
    if (option.given.empty()) continue;
    const bool is_of_layouts = is_one_of(option, options_of_layouts);
    const bool is_of_engines = is_one_of(option, options_of_engines) || is_of_layouts;
    if (options.engine.empty() && is_of_engines && !(is_of_layouts && has_hosts))
      throw Error(ErrorCode::usage,
                  format("{} is only for a launch on several hosts", option.names.front()),
                  "choose how to start it: --hosts FILE, or --engine slurm|mpi|k8s");
    if (!options.engine.empty() && !is_of_engines && !is_one_of(option, options_with_engines))
      throw Error(ErrorCode::usage, format("{} cannot be used with --engine", option.names.front()),
                  "it is only for ranks that topsctl starts on this host");
  }
}

ClusterLaunch run_cluster_launch(const ClusterOptions& options, const LaunchRequest& request,
                                 const Stack& stack, const OptionTable& table, bool is_dry,
                                 Session& session) {
  const JobTemplate form = launcher_named(known_launchers(), options.engine);
  require_places(form, table, !request.restart.checkpoints.empty());
  ClusterWishes wishes = wishes_of(options, request, new_run_name(session.host));
  if (request.words.empty() || !is_on_volume(wishes.volumes, request.words.front()))
    require_script(request.words);
  if (form.sorts_hosts) sort_as_slurm(wishes.hosts);
  if (wishes.hosts.empty() && options.host_count == 0)
    throw Error(ErrorCode::usage, "no hosts given",
                "give --hosts-from 'n[00-15]', or the number of hosts with --host-count N");
  const RankLayout layout = layout_of(
      options,
      wishes.hosts.empty() ? options.host_count : static_cast<std::int64_t>(wishes.hosts.size()),
      request.ranks > 0 ? request.ranks : std::max<std::int64_t>(1, stack.accelerator.cards));
  if (options.emit_folder.empty() && !options.submit && !is_dry)
    throw Error(ErrorCode::usage, "no destination for the files",
                "--emit DIR writes them, --submit submits them, --dry-run prints them");
  Output output;
  output.header.command = "launch";
  output.header.warnings = contradictions(layout, request.words);
  const Environment environment =
      environment_for_programs(session.host, stack, request.settings, output.header.warnings);
  const bool is_shimmed = chosen_shim(request, stack) == shim_always;
  if (is_shimmed) wishes.shim = wishes.emit_folder / shim_folder;
  const TemplateValues values = job_values(wishes, layout, stack, environment);
  require_needs(form, values, table.has("--job"));
  if (uses(form, "volumes") && !is_on_volume(wishes.volumes, wishes.log_folder))
    output.header.warnings.push_back(format(
        "the logs are lost with the pods: no --volume contains {}", wishes.log_folder.string()));
  if (is_shimmed && uses(form, "volumes") && !is_on_volume(wishes.volumes, wishes.shim))
    output.header.warnings.push_back(format(
        "the pods do not see the runtime shim: no --volume contains {}", wishes.shim.string()));
  warn_of_root(form, wishes, output);
  const std::vector<JobFile> files = filled(form, values);
  const std::vector<std::string> submit = submit_command(form, values);
  output.text = layout_text(layout, wishes.hosts, session.style);
  Json submitted = nullptr;
  if (is_dry) {
    output.is_data = true;  // the text includes the files of the job
    for (const JobFile& file : files)
      output.text += concat(session.style.bold(concat("--- ", file.name)), "\n", file.text);
  } else {
    emit(files, is_shimmed ? shim_files(stack) : std::vector<ShimFile>(), wishes.emit_folder);
    output.changed = true;
    if (options.submit) {
      submitted =
          submit_files(form, stack.backend.name, submit, wishes.emit_folder, output, session);
    } else {
      std::vector<std::string> words;
      for (const std::string& word : submit) words.push_back(typed_word(word));
      output.text +=
          concat(session.style.bold(format("state:")), " ",
                 format("{} written to {}; submit with `{}`", counted(files.size(), "file"),
                        printable(wishes.emit_folder.string()), joined(words, " ")),
                 "\n");
    }
  }
  const bool was_started = !submitted.is_null();
  return {std::move(output),
          {{"engine", form.name},
           {"layout", to_json(layout, wishes.hosts)},
           {"folder", is_dry ? Json(nullptr) : Json(wishes.emit_folder.string())},
           {"files", files_json(shown_files(form, wishes, layout, stack, environment))},
           {"shim", text_or_null(wishes.shim.string())},
           {"submit", submit},
           {"submitted", std::move(submitted)}},
          was_started};
}

}  // namespace topsctl

// Checks the options of a launch, and reads them from a run or a job file.
#include "cli/training/asked_launch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/launch/secret_marks.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// For launches by root in a directory that other users can change.
constexpr const char* logs_of_root = "/var/log/topsctl-logs";
constexpr std::int64_t most_job_batch = 1'000'000'000;
constexpr std::uint64_t most_job = std::uint64_t{1} << 20U;  // bytes

// "0,1,4"
std::vector<std::string> cards_in(const std::string& list) {
  std::vector<std::string> cards;
  for (const std::string& card : split(list, ',')) {
    if (!is_digits(card) || std::find(cards.begin(), cards.end(), card) != cards.end())
      throw Error(ErrorCode::usage, format("invalid card list: --cards {}", in_quotes(list)),
                  "give the number of each card once: --cards 0,1,2,3");
    cards.push_back(card);
  }
  return cards;
}

// The sources of a script: the working directory if the script is below it, else the script's own
// directory.
fs::path project_of(const std::vector<std::string>& words) {
  const fs::path here = fs::current_path();
  if (words.empty() || words.front().starts_with('-')) return here;
  const fs::path script = fs::absolute(words.front()).lexically_normal();
  const fs::path below = script.lexically_relative(here);
  return below.empty() || *below.begin() == ".." ? script.parent_path() : here;
}

}  // namespace

std::int64_t ranks_of(const LaunchRequest& request, const Host& host, const Stack& stack) {
  const std::vector<std::string> cards =
      request.cards.empty() ? std::vector<std::string>() : cards_in(request.cards);
  if (request.ranks > 0) return request.ranks;
  if (!cards.empty()) return static_cast<std::int64_t>(cards.size());
  const AcceleratorRules& rules = stack.accelerator;
  const std::int64_t there = card_nodes(host, rules.device_node, rules.cards).there;
  if (there == 0)
    throw Error(ErrorCode::host_unfit,
                format("no {}0: this host shows no cards", rules.device_node),
                "give the number of processes: --nproc N");
  return there;
}

fs::path log_folder_of(const LaunchRequest& request, const std::string& run) {
  if (request.log_folder.empty()) {
    const fs::path here = fs::absolute(concat("topsctl-logs/", run));
    return is_root_user() && !is_own_way(here) ? fs::path(logs_of_root) / run : here;
  }
  const fs::path folder = fs::absolute(request.log_folder).lexically_normal();
  return folder.has_filename() ? folder : folder.parent_path();
}

void require_script(const std::vector<std::string>& words) {
  if (words.empty())
    throw Error(ErrorCode::usage, "no script to run",
                "give it after '--': topsctl launch -- SCRIPT ARGS...");
  const std::string& script = words.front();
  std::error_code failure;
  // `-m MODULE` and the like are resolved by the interpreter.
  if (script.starts_with('-') || fs::exists(script, failure)) return;
  throw Error(ErrorCode::bad_input, format("no such script: {}", missing_path(script)),
              "give its path relative to the working directory, then its arguments");
}

std::string chosen_shim(const LaunchRequest& request, const Stack& stack) {
  if (request.shim == shim_always)
    require_shim(stack, "leave --shim out, or use another stack: --stack STACK");
  if (request.shim != shim_auto) return request.shim;
  const bool is_wanted = has_shim(stack) && names_cuda(project_of(request.words), request.words);
  return std::string(is_wanted ? shim_always : shim_never);
}

void require_sense(const LaunchRequest& request, const DiagnosisCatalogue& catalogue) {
  const RestartRules& restart = request.restart;
  std::vector<std::string> known;
  for (const Diagnosis& each : catalogue.diagnoses) known.push_back(each.finding.id);
  known.emplace_back(any_cause);
  known.emplace_back(unknown_cause);
  for (const std::string& id : restart.causes) {
    if (std::find(known.begin(), known.end(), id) == known.end())
      throw Error(ErrorCode::usage,
                  format("unknown diagnosis {}{}", in_quotes(id), did_you_mean(id, known)),
                  "`topsctl doctor --list` lists them");
  }
  if ((!restart.resume.empty() || restart.keep > 0) && restart.checkpoints.empty())
    throw Error(ErrorCode::usage, "--resume and --keep need a checkpoint directory",
                "give it: --checkpoints DIR");
  std::error_code failure;
  if (!restart.checkpoints.empty() && fs::exists(restart.checkpoints, failure) &&
      !fs::is_directory(restart.checkpoints, failure))
    throw Error(ErrorCode::bad_input,
                format("{} is not a directory", in_quotes(restart.checkpoints)),
                "give the directory that the script writes its checkpoints to");
  if (request.on_stall == name(OnStall::restart) && restart.most == 0)
    throw Error(ErrorCode::usage, "--on-stall restart needs a number of restarts",
                "give it: --max-restarts N");
  static_cast<void>(stall_ms(request));
}

namespace {

// From the run, or from the environment of the new one.
std::string value_again(const Run& run, const std::string& name, const std::string& mark,
                        const std::map<std::string, std::string>& environment,
                        const std::vector<std::string>& given) {
  std::optional<std::string> value;
  if (const auto found = environment.find(name); found != environment.end()) value = found->second;
  for (const std::string& each : given) {
    if (each.starts_with(concat(name, "="))) value = each.substr(name.size() + 1);
  }
  if (!value)
    throw Error(ErrorCode::usage,
                format("the record of {} leaves out the value of {}", run.name, name),
                format("export it, or give it: --set {}=VALUE", name));
  if (secret_mark(run.name, *value) != mark)
    throw Error(ErrorCode::bad_input, format("{} differs from its value in {}", name, run.name),
                "give the script after '--' to start it with the new value");
  return *value;
}

// Restores the values of secrets, which the record omits.
void complete_settings(LaunchRequest& request, const Run& run,
                       const std::map<std::string, std::string>& environment,
                       const std::vector<std::string>& given) {
  for (const std::string& word : request.words) {
    if (has_secret_mark(word))
      throw Error(
          ErrorCode::usage,
          format("the record of {} leaves out a secret among the script's arguments", run.name),
          "give the script and its arguments after '--'");
  }
  if (has_secret_mark(request.restart.resume))
    throw Error(
        ErrorCode::usage,
        format("the record of {} leaves out a secret among the words of --resume", run.name),
        "give the script and its arguments after '--'");
  std::vector<std::string> left_out;
  for (std::string& setting : request.settings.set) {
    if (!has_secret_mark(setting)) continue;
    const auto equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    setting =
        concat(name, "=", value_again(run, name, setting.substr(equals + 1), environment, given));
    left_out.push_back(name);
  }
  for (const std::string& each : given) {
    const std::string name = each.substr(0, each.find('='));
    if (std::find(left_out.begin(), left_out.end(), name) == left_out.end())
      throw Error(ErrorCode::usage, format("--set {} cannot be used with {}", name, "--again"),
                  "the job already sets it");
  }
}

}  // namespace

LaunchRequest request_again(const Host& host, const std::string& word,
                            const std::vector<std::string>& given,
                            const std::vector<std::string>& accepted,
                            std::vector<std::string>& warnings) {
  const Run run = run_named(host, word);
  if (run.state == RunState::unreadable)
    throw Error(ErrorCode::bad_input, run.problem, "name a run with a complete record");
  if (run.record.hosts > 0 || run.record.request.place)
    throw Error(ErrorCode::bad_input, format("{} was a training on several hosts", run.name),
                "give its hosts and script again: topsctl launch --hosts FILE -- SCRIPT");
  if (fs::current_path() != run.record.directory)
    throw Error(ErrorCode::bad_input,
                format("{} was started in {}", run.name, in_quotes(run.record.directory)),
                "change to that directory first");
  std::vector<std::string> changed;
  for (const auto& [path, digest] : run.record.digests) {
    std::error_code failure;
    if (fs::exists(path, failure) && sha256_of_file(path) == digest) continue;
    if (!fs::exists(path, failure))
      throw Error(ErrorCode::bad_input, format("no such file: {}", in_quotes(path)),
                  "give the script after '--' to start another one");
    changed.push_back(in_quotes(path));
  }
  if (!changed.empty()) {
    const std::string what = format("changed since {}: {}", run.name, joined(changed, ", "));
    if (std::find(accepted.begin(), accepted.end(), accepted_change) == accepted.end())
      throw Error(ErrorCode::bad_input, what,
                  format("--accept {} starts the current version", accepted_change));
    warnings.push_back(what);
  }
  LaunchRequest request = run.record.request;
  complete_settings(request, run, host.environment, given);
  request.log_folder.clear();
  return request;
}

namespace {

void read_cluster(const JsonReader& job, ClusterOptions& options) {
  const auto cluster = job.find("cluster");
  if (!cluster || cluster->is_null()) return;
  cluster->expect_keys({"engine", "hosts", "host_count", "tp", "pp", "micro_batch", "global_batch",
                        "job_name", "image", "volumes", "engine_args"});
  const auto text = [&](const char* key, std::string& to) {
    if (const auto value = cluster->find(key)) to = value->text();
  };
  const auto number = [&](const char* key, std::int64_t most, std::int64_t& to) {
    if (const auto value = cluster->find(key)) to = value->integer(1, most);
  };
  if (options.engine.empty()) text("engine", options.engine);
  text("hosts", options.hosts);
  number("host_count", most_ranks, options.host_count);
  number("tp", most_ranks, options.tensor);
  number("pp", most_ranks, options.pipeline);
  number("micro_batch", most_job_batch, options.micro_batch);
  number("global_batch", most_job_batch, options.global_batch);
  text("job_name", options.job_name);
  text("image", options.image);
  options.volumes = cluster->texts_at("volumes");
  options.engine_arguments = cluster->texts_at("engine_args");
  if (!options.job_name.empty() && !is_job_name(options.job_name))
    cluster->at("job_name")
        .reject(
            "expected at most 40 letters, digits, '-' and '_', with a letter or digit at both "
            "ends");
}

}  // namespace

LaunchRequest request_in_file(const std::string& file, ClusterOptions& options) {
  const auto text = read_text_if_present(file, most_job);
  if (!text)
    throw Error(ErrorCode::bad_input, format("no such job file: {}", missing_path(file)),
                "a job is the `request` of a record: launch.json in the logs of a run");
  const Json document = parse_json(*text, in_quotes(file));
  const JsonReader job(document, in_quotes(file));
  read_cluster(job, options);
  return launch_request_in(job);
}

}  // namespace topsctl

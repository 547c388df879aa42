// Checks the host, and collects what a launch on it needs.
#include "cli/training/prepared_launch.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/training/asked_launch.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/benchmark.hpp"
#include "topsctl/engine/launch/launch_host.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/model/environment_formats.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

LaunchRecord begun_record(const LaunchWishes& wishes, const LaunchRequest& request,
                          const std::string& run, const Session& session) {
  LaunchRecord record;
  record.run = run;
  record.request = request;
  record.log_folder = wishes.log_folder.string();
  record.directory = fs::current_path().string();
  record.digests = digests_of_job(request.words);
  const std::map<std::string, std::string>& before = session.host.environment;
  const std::map<std::string, std::string> after = plan_launch(wishes).environment;
  for (const auto& [name, value] : after) {
    const auto old = before.find(name);
    if (old == before.end() || old->second != value) record.added[name] = value;
  }
  for (const auto& [name, value] : before) {
    if (!after.contains(name)) record.removed.push_back(name);
  }
  return record;
}

void choose_cards(const std::string& cards, const Stack& stack,
                  std::map<std::string, std::string>& environment) {
  if (cards.empty()) return;
  const std::string& variable = stack.accelerator.variable;
  if (variable.empty())
    throw Error(ErrorCode::usage,
                format("stack {} names no variable that selects cards", stack.name),
                "set the variable of your cards yourself, or use another stack: --stack STACK");
  environment[variable] = cards;
}

void add_shim(const Stack& stack, LaunchWishes& wishes) {
  wishes.files = shim_files(stack);
  const auto more = shim_environment(wishes.log_folder / shim_folder, stack);
  for (const auto& [variable, value] : more) wishes.environment[variable] = value;
}

}  // namespace

PreparedLaunch prepared_launch(LaunchRequest& request, const std::string& run, const Stack& stack,
                               const DiagnosisCatalogue& catalogue, bool is_checked,
                               Session& session) {
  const Host& host = session.host;
  PreparedLaunch prepared;
  LaunchWishes& wishes = prepared.wishes;
  wishes.words = request.words;
  wishes.ranks = ranks_of(request, host, stack);
  wishes.log_folder = log_folder_of(request, run);
  wishes.own_program = this_program();
  wishes.stack = request.stack;
  wishes.backend = stack.backend.name;
  wishes.environment = joined_environment(
      host.environment, environment_for_programs(host, stack, request.settings, prepared.warnings));
  choose_cards(request.cards, stack, wishes.environment);
  if (request.measurement.empty()) {
    request.shim = chosen_shim(request, stack);
    if (request.shim == shim_always) add_shim(stack, wishes);
  } else {
    wishes.files = {benchmark_program()};
    wishes.words = {(wishes.log_folder / shim_folder / wishes.files.front().name).string(),
                    request.measurement};
  }
  if (is_for_several(request.place)) {
    wishes.place = request.place;
    wishes.engine_restarts = std::exchange(request.restart.most, 0);
    // Otherwise Gloo uses the interface of the host's name, which may be lo.
    const std::string interface = interface_with(request.place->own().address);
    if (!interface.empty()) wishes.environment.emplace("GLOO_SOCKET_IFNAME", interface);
  }
  const SandboxWish sandbox{
      Sandboxing::on, [&](const std::string& warning) { prepared.warnings.push_back(warning); }};
  LaunchRequest looked_at = request;
  if (is_checked) looked_at.level = no_preflight;
  prepared.preflight = look_before_launch(host, stack, looked_at, catalogue, used_language(),
                                          sandbox, session.events);
  if (!is_checked) look_at_settings(wishes.environment, stack, looked_at, prepared.preflight);
  wishes.python = prepared.preflight.python;
  if (wishes.python.empty())
    throw Error(ErrorCode::host_unfit, "no Python interpreter of the stack works on this host",
                "give one: --python EXE");
  return prepared;
}

void complete_launch(PreparedLaunch& prepared, const LaunchRequest& request, const std::string& run,
                     const Stack& stack, const Session& session) {
  const Host& host = session.host;
  LaunchWishes& wishes = prepared.wishes;
  const auto python = read_python(host, wishes.python, wheels_of(stack));
  if (!python)
    throw Error(ErrorCode::host_unfit,
                format("Python interpreter {} does not work", in_quotes(wishes.python)),
                "give another one: --python EXE");
  wishes.engine = engine_of(python, wishes.environment);
  if (request.master_port > 0) {
    wishes.master_port = concat(request.master_port);
    if (!request.place || request.place->node == 0) require_free_port(wishes.master_port);
  }
  prepared.begun = begun_record(wishes, request, run, session);
  prepared.begun.versions = versions_of(host, stack, python);
}

}  // namespace topsctl

// Collects the status of a host, with the code of other commands.
#include "topsctl/engine/status/host_status.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/status/next_command.hpp"
#include "engine/status/stack_digest.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/compatibility/wheel_requirements.hpp"
#include "topsctl/engine/diagnosis/machine_state.hpp"
#include "topsctl/engine/operations/repair_source.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

std::string line_in(const std::filesystem::path& file) {
  try {
    return printable(trimmed(read_text_if_present(file, std::uint64_t{1} << 16U).value_or("")));
  } catch (const Error&) {
    return {};
  }
}

std::optional<WaitState> wait_state_of(const Host& host, const ExaminedTransaction& examined) {
  const Transaction& transaction = examined.transaction;
  if (examined.damage) {
    if (examined.is_superseded) return std::nullopt;
    return examined.is_restorable ? WaitState::damaged : WaitState::lost;
  }
  if (transaction.is_unfinished() || is_undo_cut_off(host, transaction)) {
    return changed_since_interruption(host, transaction).empty() ? WaitState::unfinished
                                                                 : WaitState::conflicting;
  }
  const auto awaited = awaited_confirmation(transaction);
  if (!awaited) return std::nullopt;
  if (time_left(host, *awaited).count() <= 0) return WaitState::overdue;
  return is_watched(host, transaction) ? WaitState::unconfirmed : WaitState::unwatched;
}

// Newest first, in the order of a recovery.
std::vector<WaitingTransaction> waiting_on(const Host& host, const Connection& connection) {
  std::vector<WaitingTransaction> waiting;
  if (is_at_work(host)) {
    for (const FoundTransaction& each : find_transactions(host)) {
      if (each.transaction.is_unfinished())
        waiting.push_back({each.transaction.id, WaitState::at_work, "", false});
    }
    return waiting;
  }
  for (const ExaminedTransaction& each : examine_transactions(host)) {
    const auto state = wait_state_of(host, each);
    if (!state) continue;
    const auto awaited = awaited_confirmation(each.transaction);
    waiting.push_back({each.transaction.id, *state, awaited ? awaited->until : std::string(),
                       awaited && is_same_connection(awaited->installed_by, connection)});
  }
  std::reverse(waiting.begin(), waiting.end());
  return waiting;
}

ShellEnvironment compared(const Environment& environment, const CallingShell& shell) {
  ShellEnvironment compared;
  compared.file = environment.file;
  const auto value_of = [&](const std::string& name) {
    const auto found = shell.environment.find(name);
    return found == shell.environment.end() ? std::optional<std::string>() : found->second;
  };
  for (const EnvironmentVariable& variable : environment.variables) {
    const auto value = value_of(variable.name);
    if (!value) compared.missing.push_back(variable.name);
    if (value && *value != variable.value) compared.different.push_back(variable.name);
  }
  for (const SearchPath& path : environment.paths) {
    const std::vector<std::string> folders = split(value_of(path.name).value_or(""), ':');
    const bool has_all =
        std::all_of(path.entries.begin(), path.entries.end(), [&](const SearchPathEntry& entry) {
          return std::find(folders.begin(), folders.end(), entry.directory) != folders.end();
        });
    if (!has_all) compared.missing.push_back(path.name);
  }
  return compared;
}

std::optional<ShellEnvironment> environment_in(const Host& host, const Stack& stack,
                                               const CallingShell& shell) {
  try {
    std::vector<std::string> warnings;
    const Environment environment = environment_for_programs(host, stack, {}, warnings);
    if (environment.variables.empty() && environment.paths.empty()) return std::nullopt;
    return compared(environment, shell);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return std::nullopt;
  }
}

CardsInUse cards_of(const MachineState& state) {
  CardsInUse cards;
  cards.tool = state.tool;
  cards.wanted = state.cards_wanted;
  cards.nodes = state.card_nodes;
  cards.processes = state.processes.size();
  cards.failure = state.efsmi_failure;
  if (!state.cards) return cards;
  const auto& all = state.cards->cards;
  cards.listed = all.size();
  const bool is_reported = std::all_of(all.begin(), all.end(), [](const CardReading& card) {
    return card.utilization_percent.has_value();
  });
  if (is_reported)
    cards.busy = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_busy));
  return cards;
}

void add_python(const Host& host, const Stack& stack, HostStatus& status,
                std::vector<InstalledWheel>& wheels) {
  if (status.python.empty()) return;
  std::vector<std::string> names = stack.python.unchanged;
  for (const Component& component : stack.components) {
    if (component.kind == PackageKind::wheel)
      names.insert(names.end(), component.names.begin(), component.names.end());
  }
  names.emplace_back("torch");
  const auto python = read_python(host, status.python, names);
  if (!python) return;
  status.python_version = python->version;
  if (const InstalledWheel* torch = installed_distribution(*python, "torch"))
    status.torch = torch->version;
  for (const Component& component : stack.components) {
    if (component.kind != PackageKind::wheel) continue;
    if (const InstalledWheel* wheel = python->wheel(component.names.front()))
      wheels.push_back(*wheel);
  }
}

void add_release(const Host& host, const Stack& stack, const std::vector<InstalledWheel>& wheels,
                 HostStatus& status) {
  InstalledRelease& release = status.installed.emplace();
  release.stack = stack.name;
  release.release = stack.release;
  release.sha256 = stack_digest(debs_of_stack(host, stack, read_packages(host)), wheels);
  const auto install = install_in_effect(host);
  if (!install || stack_of(*install).name != stack.name) return;
  release.transaction = summary_of(*install);
  try {
    release.bundle = repair_source(host).bundle;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage && error.code() != ErrorCode::host_unfit) throw;
  }
}

void add_runs(const Host& own, HostStatus& status) {
  std::vector<Run> runs = all_runs(own);
  if (!runs.empty() && runs.back().state == RunState::ended && !runs.back().record.ended_by &&
      runs.back().record.status.value_or(0) != 0) {
    std::error_code failure;
    if (std::filesystem::is_directory(runs.back().log_folder, failure))
      status.failed_run = runs.back();
  }
  std::erase_if(runs, [](const Run& run) { return run.state != RunState::running; });
  status.trainings = std::move(runs);
}

void add_transactions(const Host& host, const Connection& connection, HostStatus& status) {
  try {
    static_cast<void>(find_transactions(host));
    status.is_history_readable = true;
    status.waiting = waiting_on(host, connection);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
  }
}

}  // namespace

std::string_view name(WaitState state) {
  switch (state) {
    case WaitState::at_work:
      return "at_work";
    case WaitState::damaged:
      return "damaged";
    case WaitState::lost:
      return "lost";
    case WaitState::unfinished:
      return "unfinished";
    case WaitState::conflicting:
      return "conflicting";
    case WaitState::unconfirmed:
      return "unconfirmed";
    case WaitState::unwatched:
      return "unwatched";
    case WaitState::overdue:
      return "overdue";
  }
  return {};
}

std::vector<const CheckResult*> HostStatus::problems() const {
  std::vector<const CheckResult*> found;
  for (const CheckResult& check : checks) {
    if (check.is_problem) found.push_back(&check);
  }
  return found;
}

bool HostStatus::has_outcome(CheckStatus outcome) const {
  return std::any_of(checks.begin(), checks.end(),
                     [&](const CheckResult& check) { return check.status == outcome; });
}

bool HostStatus::has_problems() const {
  return !problems().empty() || !waiting.empty();
}

HostStatus host_status(const Host& host, const StatusRequest& request) {
  const bool is_running_system = host.root == "/";
  HostStatus status;
  status.host = name_of_this_host();
  status.system = os_name(host);
  add_transactions(host, request.connection, status);
  const std::optional<Stack> stack = installed_stack(host);
  // What cannot be read is not "nothing".
  std::error_code failure;
  if (!stack && std::filesystem::exists(host.resolve("/var/lib/dpkg/status"), failure))
    static_cast<void>(read_packages(host));
  if (is_running_system) {
    status.kernel = line_in("/proc/sys/kernel/osrelease");
    const MachineState state = look_at_machine(host, stack_on(host, ""), {}, ProcessLooks::one);
    status.cards = cards_of(state);
    status.driver = state.driver_release;
    if (status.driver.empty() && state.cards) status.driver = state.cards->driver_version;
    add_runs(request.own, status);
    status.benchmark = last_benchmark(request.own);
  }
  if (stack) {
    VerifyOptions options;
    options.highest = CheckLevel::files;
    options.digests = request.digests;
    const Verification files = run_checks(host, *stack, stack->checks, "", options);
    status.checks = files.checks;
    status.python = files.python;
    std::vector<InstalledWheel> wheels;
    add_python(host, *stack, status, wheels);
    add_release(host, *stack, wheels, status);
    if (is_running_system && request.has_shell)
      status.environment = environment_in(host, *stack, request.shell);
  }
  status.next = next_command(status, request);
  return status;
}

namespace {

Json to_json(const std::optional<InstalledRelease>& installed) {
  if (!installed) return nullptr;
  Json transaction = nullptr;
  if (installed->transaction) {
    const TransactionSummary& summary = *installed->transaction;
    transaction = {{"id", summary.id},
                   {"host", text_or_null(summary.origin.host)},
                   {"user", text_or_null(summary.origin.user)},
                   {"started_at", text_or_null(summary.origin.started_at)}};
  }
  return {{"stack", installed->stack},
          {"release", text_or_null(installed->release)},
          {"sha256", installed->sha256},
          {"transaction", std::move(transaction)}};
}

Json to_json(const std::optional<ShellEnvironment>& environment) {
  if (!environment) return nullptr;
  return {{"file", environment->file},
          {"in_effect", environment->missing.empty()},
          {"missing", environment->missing},
          {"different", environment->different}};
}

Json to_json(const std::optional<CardsInUse>& cards) {
  if (!cards) return nullptr;
  return {{"tool", cards->tool},
          {"listed", cards->listed ? Json(*cards->listed) : Json(nullptr)},
          {"busy", cards->busy ? Json(*cards->busy) : Json(nullptr)},
          {"wanted", cards->wanted},
          {"nodes", cards->nodes},
          {"processes", cards->processes},
          {"failure", text_or_null(cards->failure)}};
}

Json to_json(const Run& run) {
  return {{"run", run.name},
          {"log_folder", run.log_folder},
          {"started_at", text_or_null(run.record.started_at)},
          {"ranks", run.record.ranks.size()}};
}

}  // namespace

Json to_json(const HostStatus& status) {
  Json trainings = Json::array();
  for (const Run& run : status.trainings) trainings.push_back(to_json(run));
  Json waiting = Json::array();
  for (const WaitingTransaction& each : status.waiting)
    waiting.push_back({{"transaction", each.id},
                       {"state", name(each.state)},
                       {"until", text_or_null(each.until)}});
  Json python = nullptr;
  if (!status.python.empty())
    python = {{"executable", status.python}, {"version", text_or_null(status.python_version)}};
  Json next = nullptr;
  if (!status.next.command.empty())
    next = {{"command", status.next.command},
            {"over_new_connection", status.next.over_new_connection}};
  const bool is_doubtful = std::any_of(status.checks.begin(), status.checks.end(),
                                       [](const CheckResult& each) { return each.is_doubtful; });
  const bool is_known =
      status.installed && !status.checks.empty() &&
      (!status.problems().empty() || (!is_doubtful && !status.has_outcome(CheckStatus::unknown)));
  return {{"host", text_or_null(status.host)},
          {"system", text_or_null(status.system)},
          {"kernel", text_or_null(status.kernel)},
          {"driver", text_or_null(status.driver)},
          {"python", std::move(python)},
          {"torch", text_or_null(status.torch)},
          {"installed", to_json(status.installed)},
          {"intact", is_known ? Json(status.problems().empty()) : Json(nullptr)},
          {"checks", topsctl::to_json(status.checks)},
          {"environment", to_json(status.environment)},
          {"cards", to_json(status.cards)},
          {"benchmark", topsctl::to_json(status.benchmark)},
          {"trainings", std::move(trainings)},
          {"failed_run", status.failed_run ? to_json(*status.failed_run) : Json(nullptr)},
          {"waiting", status.is_history_readable ? std::move(waiting) : Json(nullptr)},
          {"next", std::move(next)}};
}

}  // namespace topsctl

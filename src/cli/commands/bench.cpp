// topsctl bench: the bandwidths of a stack's collectives, copies and links on this host or several.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/report_option.hpp"
#include "cli/training/asked_launch.hpp"
#include "cli/training/bench_run.hpp"
#include "cli/training/bench_text.hpp"
#include "cli/training/hosts_launch.hpp"
#include "cli/training/launch_text.hpp"
#include "cli/training/prepared_launch.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/launch/benchmark.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t most_ranks_on_cpu = 8;  // by default
constexpr std::int64_t most_duration_ms = 60'000;
constexpr std::int64_t whole = 100;  // percent
constexpr std::uint64_t most_size = std::uint64_t{16} << 30U;
constexpr std::uint64_t bytes_of_element = 4;

struct BenchCommandOptions {
  LaunchRequest request;
  HostsOptions hosts;
  std::string backend;
  std::string operations;
  std::string sizes;
  std::int64_t duration_ms = usual_bench_ms;  // of each measurement
  std::string baseline;
  std::int64_t share = usual_baseline_percent;  // percent
  std::string report;
};

ValueCheck operation_list() {
  return [](const std::string& list) -> std::string {
    const std::vector<std::string>& known = benchmark_operations();
    for (const std::string& name : split(list, ',')) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        return format("unknown operation {}: expected {}", in_quotes(name), joined(known, ", "));
    }
    return {};
  };
}

ValueCheck size_list() {
  return [](const std::string& list) -> std::string {
    for (const std::string& text : split(list, ',')) {
      const auto size = size_in_bytes(text);
      if (!size || *size == 0 || *size > most_size || *size % bytes_of_element != 0)
        return format("invalid size {}: expected a multiple of 4 bytes, such as 64K or 1M",
                      in_quotes(text));
    }
    return {};
  };
}

// The backend that is measured, and why it is not the stack's.
struct BenchBackend {
  std::string name;
  std::string reason;
};

BenchBackend backend_of(const BenchCommandOptions& options, const Stack& stack, const Host& host) {
  if (!options.backend.empty()) return {options.backend, ""};
  if (stack.backend.name.empty())
    return {std::string(cpu_backend), format("stack {} has no backend", stack.name)};
  if (is_for_hosts(options.hosts)) return {stack.backend.name, ""};
  const AcceleratorRules& rules = stack.accelerator;
  if (card_nodes(host, rules.device_node, rules.cards).there > 0) return {stack.backend.name, ""};
  return {
      std::string(cpu_backend),
      format("this host shows no cards ({}0): what follows is the CPU's speed", rules.device_node)};
}

LaunchRequest request_of(const BenchCommandOptions& options, const BenchBackend& backend,
                         const Stack& stack) {
  BenchmarkWishes wishes;
  wishes.backend = backend.name;
  wishes.operations =
      options.operations.empty() ? benchmark_operations() : split(options.operations, ',');
  if (!options.sizes.empty()) {
    for (const std::string& size : split(options.sizes, ','))
      wishes.sizes.push_back(*size_in_bytes(size));
  }
  wishes.duration_ms = options.duration_ms;
  LaunchRequest request = measuring(options.request, wishes, stack);
  if (request.ranks == 0 && request.cards.empty() && backend.name == cpu_backend) {
    const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    request.ranks = std::clamp(cores, std::int64_t{2}, most_ranks_on_cpu);
  }
  return request;
}

BenchRun run_on_hosts(const BenchCommandOptions& options, const LaunchRequest& request,
                      const Stack& stack, const OptionTable& table, Session& session) {
  HostsLaunch launched = run_hosts_launch(options.hosts, {}, request, stack, table, false, session);
  BenchRun done;
  done.header = std::move(launched.output.header);
  done.text = std::move(launched.output.text);
  done.status = launched.output.status.value_or(1);
  if (launched.record.is_null()) return done;
  done.log = log_of_first_rank(launched.record);
  done.log_folder = launched.record.at("log_folder").get<std::string>();
  return done;
}

Json body_of(const Benchmark& benchmark, const BenchmarkVerdict& verdict, const Stack* stack,
             const std::string& reason) {
  Json body = {{"stack", stack == nullptr ? Json(nullptr) : Json(stack->name)},
               {"reason", text_or_null(reason)}};
  body.update(to_json(benchmark));
  Json stragglers = Json::array();
  for (const Straggler& each : verdict.stragglers) stragglers.push_back(to_json(each, benchmark));
  body["stragglers"] = std::move(stragglers);
  Json shortfalls = Json::array();
  for (const Shortfall& each : verdict.shortfalls) shortfalls.push_back(to_json(each));
  body["below_baseline"] = verdict.has_baseline ? std::move(shortfalls) : Json(nullptr);
  return body;
}

void require_sense(const BenchCommandOptions& options, const OptionTable& table, const Stack& stack,
                   const BenchBackend& backend) {
  if (!options.backend.empty() && options.backend != cpu_backend &&
      options.backend != stack.backend.name)
    throw Error(ErrorCode::usage,
                format("unknown backend {} of stack {}", in_quotes(options.backend), stack.name),
                stack.backend.name.empty()
                    ? format("expected {}", cpu_backend)
                    : format("expected {} or {}", stack.backend.name, cpu_backend));
  if (table.has("--cards") && backend.name == cpu_backend)
    throw Error(ErrorCode::usage, format("{} uses no cards: --cards has no meaning", cpu_backend),
                "choose the number of processes with --nproc");
  require_baseline(table, options.baseline);
}

Output run_bench(const BenchCommandOptions& options, const OptionTable& table, Session& session) {
  require_report_place(options.report);
  require_hosts(table, options.hosts);
  std::optional<Benchmark> baseline;
  if (!options.baseline.empty()) baseline = baseline_in(options.baseline);
  const Stack stack = stack_on(session.host, options.request.stack);
  const BenchBackend backend = backend_of(options, stack, session.host);
  require_sense(options, table, stack, backend);
  const LaunchRequest request = request_of(options, backend, stack);
  const BenchRun done = is_for_hosts(options.hosts)
                            ? run_on_hosts(options, request, stack, table, session)
                            : bench_here(request, stack, backend.name == cpu_backend, session);
  Output output;
  output.header = done.header;
  output.header.command = "bench";
  const Benchmark benchmark = benchmark_of(done);
  // Its logs are of use only if it failed, or if a place for them was named.
  const bool are_logs_kept = !options.request.log_folder.empty();
  if (done.ended_by != 0) {
    if (!are_logs_kept) remove_logs(done);
    throw_interrupted_by(done.ended_by);
  }
  if (done.status != 0 || !benchmark.is_complete) {
    if (!output.header.error && output.header.exit == ExitCode::done)
      output.header.exit = ExitCode::problems;
    if (!output.header.error && !done.log_folder.empty()) output.header.error = failure_of(done);
    output.text = done.text;
    output.json = body_of(benchmark, {}, &stack, backend.reason);
    return output;
  }
  const BenchmarkVerdict verdict =
      judged(benchmark, baseline ? &*baseline : nullptr, options.share);
  if (!is_for_hosts(options.hosts)) remember(benchmark, verdict, session);
  if (!verdict.stragglers.empty() || !verdict.shortfalls.empty())
    output.header.exit = ExitCode::problems;
  if (!backend.reason.empty()) output.header.warnings.push_back(backend.reason);
  const Json body = body_of(benchmark, verdict, &stack, backend.reason);
  output.json = body;
  output.text = benchmark_text(benchmark, verdict, session.style);
  if (!are_logs_kept) remove_logs(done);
  write_report(options.report, document(output.header, body), benchmark_page(benchmark, verdict),
               output);
  return output;
}

}  // namespace

CommandAction define_bench(OptionTable& table) {
  auto options = std::make_shared<BenchCommandOptions>();
  LaunchRequest& request = options->request;
  table.value("--nproc", request.ranks, "Number of processes; default: one per card", "N")
      .check(whole_number(1, most_ranks));
  table.value("--cards", request.cards, "Use only these cards, such as 0,1,2,3", "LIST");
  table.value("--backend", options->backend,
              "Backend to measure, such as gloo; default: the stack's", "NAME");
  table.value("--operations", options->operations, "Measure only these; default: all", "LIST")
      .check(operation_list());
  table
      .value("--sizes", options->sizes,
             "Measure these sizes, such as 64K,1M; default: 1 KiB to 1 GiB", "LIST")
      .check(size_list());
  table
      .value("--duration", options->duration_ms,
             "Time for each measurement in milliseconds; default: 200", "MS")
      .check(whole_number(1, most_duration_ms));
  table.value("--baseline", options->baseline,
              "Compare with this JSON report of an earlier benchmark", "FILE.json");
  table
      .value("--at-least", options->share, "Lowest share of the baseline that passes; default: 80",
             "PERCENT")
      .check(whole_number(1, whole));
  table.value("--stack", request.stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--python", request.python, "Interpreter; default: the stack's", "EXE");
  table.value("--log-dir", request.log_folder, "Keep the logs in this new directory", "DIR");
  add_report_option(table, options->report);
  add_hosts_options(table, options->hosts);
  return {[options, &table](Session& session) { return run_bench(*options, table, session); },
          body_of({}, {}, nullptr, "")};
}

}  // namespace topsctl

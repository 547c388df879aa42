// Runs the benchmark's program, and reads what rank 0 reported.
#include "cli/training/bench_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/option_table.hpp"
#include "cli/training/launch_text.hpp"
#include "cli/training/prepared_launch.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_log = std::uint64_t{64} << 20U;       // bytes
constexpr std::uint64_t most_baseline = std::uint64_t{16} << 20U;  // bytes
constexpr double percent_of_whole = 100;
constexpr std::uint64_t small_size = std::uint64_t{1} << 20U;
constexpr std::uint64_t large_size = std::uint64_t{64} << 20U;
constexpr std::int64_t stall_unit_s = 60;

// Shows how far rank 0 is.
class BenchListener : public RankListener {
 public:
  explicit BenchListener(EventSink& events) : events_(events) {}
  void line(std::int64_t /*rank*/, std::string_view /*text*/) override {}
  void launcher_line(std::string_view /*text*/) override {}
  void checked(const BusyCheck& /*check*/, std::int64_t /*ranks*/) override {}
  void stood_still(const Standstill& /*stall*/, OnStall /*what*/) override {}
  void restarts(const AttemptRecord& /*failed*/, std::int64_t /*pause_ms*/) override {}
  void progressed(const AttemptRecord& attempt) override {
    if (attempt.ranks.empty()) return;
    const std::string& done = attempt.ranks.front().iteration;
    events_.working(done.empty() ? format("starting the ranks") : format("measured {}", done));
  }

 private:
  EventSink& events_;
};

// Throws Error{bad_input} if this backend can repeat no measurement of the baseline.
BenchmarkWishes wishes_like(const std::optional<Benchmark>& baseline, const Stack& stack) {
  BenchmarkWishes wishes;
  wishes.backend = stack.backend.name;
  wishes.duration_ms = usual_bench_ms;
  if (!baseline) {
    wishes.operations = {benchmark_operations().front()};
    wishes.sizes = {small_size, large_size};
    return wishes;
  }
  std::set<std::string> operations;
  std::set<std::uint64_t> sizes;
  for (const Measurement& each : baseline->measurements) {
    const auto& known = benchmark_operations();
    if (each.backend != stack.backend.name ||
        std::find(known.begin(), known.end(), each.operation) == known.end())
      continue;
    operations.insert(each.operation);
    sizes.insert(each.bytes);
  }
  if (operations.empty())
    throw Error(ErrorCode::bad_input,
                format("the baseline measured nothing that {} can repeat", stack.backend.name),
                format("make one with this backend: topsctl bench --backend {} --json > FILE",
                       stack.backend.name));
  wishes.operations.assign(operations.begin(), operations.end());
  wishes.sizes.assign(sizes.begin(), sizes.end());
  return wishes;
}

void measure(LaunchRequest request, const Stack& stack, const std::optional<Benchmark>& baseline,
             std::int64_t least_percent, CheckResult& result, Session& session) {
  const ScratchFolder folder("bench");
  request.log_folder = (folder.path() / "logs").string();
  const BenchRun done = bench_here(std::move(request), stack, false, session);
  if (done.ended_by != 0) throw_interrupted_by(done.ended_by);
  const Benchmark benchmark = benchmark_of(done);
  result.status = CheckStatus::fail;
  result.hint =
      format("run `topsctl bench`: it shows all measurements, and keeps the logs of a failure");
  if (done.status != 0 || !benchmark.is_complete) {
    result.observed = failure_of(done).message();
    result.output = done.text;
    return;
  }
  const BenchmarkVerdict verdict =
      judged(benchmark, baseline ? &*baseline : nullptr, least_percent);
  const BenchmarkNote note = remember(benchmark, verdict, session);
  const std::vector<std::string> complaints = complaints_of(benchmark, verdict);
  if (!complaints.empty()) {
    result.observed = joined(complaints, "; ");
    return;
  }
  result.status = CheckStatus::pass;
  result.hint.clear();
  result.observed = benchmark_line(to_json(std::optional(note)));
}

}  // namespace

LaunchRequest measuring(LaunchRequest request, const BenchmarkWishes& wishes, const Stack& stack) {
  request.level = no_preflight;
  request.shim = shim_never;
  request.on_stall = name(OnStall::stop);
  request.measurement = benchmark_argument(wishes, stack);
  return request;
}

fs::path log_of_first_rank(const Json& record) {
  const Json& attempts = record.at("attempts");
  if (attempts.empty()) return {};
  for (const Json& rank : attempts.back().at("ranks")) {
    if (rank.at("in_world").is_number() ? rank.at("in_world") == 0 : rank.at("rank") == 0)
      return rank.at("log").get<std::string>();
  }
  return {};
}

BenchRun bench_here(LaunchRequest request, const Stack& stack, bool measures_cpu,
                    Session& session) {
  require_usable_host(session.host, Purpose::look);
  const std::string run = new_run_name(session.host);
  const DiagnosisCatalogue catalogue = known_diagnoses(stack.backend.name);
  PreparedLaunch prepared = prepared_launch(request, run, stack, catalogue, true, session);
  complete_launch(prepared, request, run, stack, session);
  BenchListener listener(*session.events);
  const Language language = used_language();
  const LaunchRecord record =
      launch(session.host, prepared.wishes, std::move(prepared.begun), language, listener);
  BenchRun done;
  // Of the stack, which gloo does not use.
  if (!measures_cpu) done.header.warnings = prepared.warnings;
  done.status = record.status.value_or(1);
  done.log_folder = record.log_folder;
  done.log = log_of_first_rank(to_json(record));
  done.ended_by = record.ended_by.value_or(0);
  if (done.status != 0) done.text = judgement_text(record, language, session.style);
  return done;
}

Benchmark benchmark_of(const BenchRun& done) {
  return done.log.empty() ? Benchmark{} : benchmark_in(read_text(done.log, most_log));
}

Error failure_of(const BenchRun& done) {
  return {ErrorCode::checks_failed,
          done.status == 0 ? format("the benchmark ended before its last measurement")
                           : format("the benchmark ended with exit status {}", done.status),
          format("see the logs of its ranks in {}", printable(done.log_folder.string()))};
}

void remove_logs(const BenchRun& done) {
  if (done.log_folder.empty()) return;
  std::error_code ignored;
  fs::remove_all(done.log_folder, ignored);
  fs::remove(done.log_folder.parent_path(), ignored);  // if it is empty
}

BenchmarkVerdict judged(const Benchmark& benchmark, const Benchmark* baseline,
                        std::int64_t least_percent) {
  BenchmarkVerdict verdict;
  verdict.stragglers = stragglers_of(benchmark);
  verdict.has_baseline = baseline != nullptr;
  if (baseline != nullptr)
    verdict.shortfalls =
        shortfalls_of(benchmark, *baseline, static_cast<double>(least_percent) / percent_of_whole);
  return verdict;
}

BenchmarkNote remember(const Benchmark& benchmark, const BenchmarkVerdict& verdict,
                       const Session& session) {
  BenchmarkNote note =
      note_of(benchmark, verdict.stragglers.size(), timestamp(session.host.clock->now()));
  write_note(session.with_own_state(), note);
  return note;
}

void require_baseline(const OptionTable& table, const std::string& baseline) {
  if (table.has("--at-least") && baseline.empty())
    throw Error(ErrorCode::usage, "--at-least needs --baseline",
                "name the report to compare with: --baseline FILE.json");
}

Benchmark baseline_in(const std::string& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw Error(ErrorCode::bad_input, format("no such file: {}", missing_path(file)),
                "give a report of `topsctl bench`");
  if (::access(file.c_str(), R_OK) != 0)
    throw system_error(errno, "read", file, ErrorCode::bad_input);
  return benchmark_in_report(read_text(file, most_baseline), in_quotes(file));
}

void require_repeatable(const Stack& stack, const BandwidthWishes& wishes, const Session& session) {
  const Benchmark baseline = baseline_in(wishes.baseline);
  static_cast<void>(wishes_like(baseline, stack));
  const AcceleratorRules& cards = stack.accelerator;
  const auto there =
      static_cast<std::size_t>(card_nodes(session.host, cards.device_node, cards.cards).there);
  const std::size_t ranks = wishes.ranks > 0 ? static_cast<std::size_t>(wishes.ranks) : there;
  if (there > 0) require_same_ranks(ranks, baseline);
}

CheckResult bandwidth_check(const Stack& stack, const BandwidthWishes& wishes,
                            const std::string& stopped_by, Session& session) {
  CheckResult result;
  result.id = "bandwidth";
  result.level = CheckLevel::perf;
  result.expected = format("no rank, link or measurement that is slow");
  result.status = CheckStatus::skipped;
  std::optional<Benchmark> baseline;
  if (!wishes.baseline.empty()) baseline = baseline_in(wishes.baseline);
  const AcceleratorRules& cards = stack.accelerator;
  if (!stopped_by.empty()) {
    result.observed = format("not run: {} failed", in_quotes(stopped_by));
    return result;
  }
  if (card_nodes(session.host, cards.device_node, cards.cards).there == 0) {
    result.observed = format("this host shows no cards");
    return result;
  }
  LaunchRequest request;
  request.stack = wishes.stack;
  request.python = wishes.python;
  request.ranks = wishes.ranks;
  request.stall_minutes = concat((wishes.timeout_s + stall_unit_s - 1) / stall_unit_s);
  const auto begun = session.host.clock->steady();
  try {
    measure(measuring(request, wishes_like(baseline, stack), stack), stack, baseline,
            wishes.least_percent, result, session);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_input || error.code() == ErrorCode::interrupted ||
        error.code() == ErrorCode::terminated)
      throw;
    result.status = CheckStatus::fail;
    result.observed = error.message();
    result.hint = error.hint();
  }
  result.is_problem = result.status == CheckStatus::fail;
  result.duration_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(session.host.clock->steady() - begun)
          .count();
  return result;
}

}  // namespace topsctl

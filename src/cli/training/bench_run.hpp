// Runs the benchmark's program as the ranks of a launch on this host, and what becomes of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/training/bench_text.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/engine/launch/benchmark.hpp"
#include "topsctl/engine/launch/benchmark_note.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

inline constexpr std::int64_t usual_bench_ms = 200;         // of each measurement
inline constexpr std::int64_t usual_baseline_percent = 80;  // that passes

struct BenchRun {
  ReportHeader header;
  std::string text;                  // of a failure, or of hosts
  int status = 0;                    // of the ranks
  int ended_by = 0;                  // signal that topsctl received; 0: none
  std::filesystem::path log;         // of rank 0; empty: none
  std::filesystem::path log_folder;  // empty: nothing was started
};

// `request` of a launch that measures and does nothing else.
LaunchRequest measuring(LaunchRequest request, const BenchmarkWishes& wishes, const Stack& stack);
// Throws the errors of a launch.
BenchRun bench_here(LaunchRequest request, const Stack& stack, bool measures_cpu, Session& session);
// `record`: a launch record, as JSON.
std::filesystem::path log_of_first_rank(const Json& record);
// What rank 0 reported; incomplete after a failure.
Benchmark benchmark_of(const BenchRun& done);
Error failure_of(const BenchRun& done);
void remove_logs(const BenchRun& done);

// Compared with each other, and with `baseline` if there is one. Throws as shortfalls_of.
BenchmarkVerdict judged(const Benchmark& benchmark, const Benchmark* baseline,
                        std::int64_t least_percent);
// For `topsctl status` and `topsctl watch`. The note is valid even if it could not be written.
BenchmarkNote remember(const Benchmark& benchmark, const BenchmarkVerdict& verdict,
                       const Session& session);
// Throws Error{usage} for --at-least without one.
void require_baseline(const OptionTable& table, const std::string& baseline);

struct BandwidthWishes {
  std::string stack;           // as for a launch
  std::string python;          // empty: the stack's
  std::int64_t ranks = 0;      // 0: one per card
  std::int64_t timeout_s = 0;  // without progress, in whole minutes
  std::string baseline;        // file of a report; empty: none
  std::int64_t least_percent = 0;
};
// Throws Error{bad_input} if a benchmark on this host cannot be compared with the baseline.
void require_repeatable(const Stack& stack, const BandwidthWishes& wishes, const Session& session);
// Measures all_reduce, or what the baseline has, on the cards of this host, as a check of level
// `perf`. `stopped_by`: the failed check of a lower level; empty: none. Throws Error{bad_input} for
// an unfit baseline, and Error{interrupted, terminated}.
CheckResult bandwidth_check(const Stack& stack, const BandwidthWishes& wishes,
                            const std::string& stopped_by, Session& session);
// From the file of a report. Throws Error{bad_input}.
Benchmark baseline_in(const std::string& file);

}  // namespace topsctl

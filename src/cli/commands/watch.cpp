// topsctl watch: the cards of this host and the ranks on them.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/training/live_view.hpp"
#include "cli/training/watch_text.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/diagnosis/known_diagnoses.hpp"
#include "topsctl/engine/diagnosis/machine_judgement.hpp"
#include "topsctl/engine/launch/card_watch.hpp"
#include "topsctl/engine/launch/rank_words.hpp"
#include "topsctl/engine/launch/runs.hpp"
#include "topsctl/host/facts/host_name.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t ms_per_interval_s = 1000;
constexpr std::int64_t most_interval_s = 86'400;

struct WatchCommandOptions {
  std::string run;
  std::string stack;
  std::string prometheus;
  std::string telemetry;
  std::int64_t interval_s = 2;
  bool is_interval_given = false;
  bool once = false;
};

void write_metrics(const std::string& file, const std::string& text) {
  try {
    write_durably(std::filesystem::absolute(file), text, 0644);
  } catch (const Error& error) {
    throw Error(ErrorCode::host_unfit, error.message(),
                "name a file in a directory that you can write to");
  }
}

// One reading, and its judgement.
struct Look {
  CardWatch watch;
  Judgement judgement;
};

class Watching {
 public:
  Watching(const WatchCommandOptions& options, const Session& session)
      : options_(options),
        host_(session.host),
        own_(session.with_own_state()),
        stack_(stack_on(host_, options.stack)),
        catalogue_(known_diagnoses(stack_.backend.name)),
        load_(host_),
        network_(host_),
        benchmark_(last_benchmark(own_)) {
    // An unknown run is reported at once.
    if (!options.run.empty()) static_cast<void>(run_named(own_, options.run));
    if (!options.telemetry.empty()) telemetry_.emplace(options.telemetry);
  }

  // One reading, without the file of metrics.
  Look read() {
    MachineFacts facts;
    facts.state = look_at_machine(host_, stack_, {});
    Look look{card_watch(facts.state), judge_machine(catalogue_, facts, used_language())};
    look.watch.host = load_.look();
    look.watch.network = network_.look();
    look.watch.benchmark = benchmark_;
    const auto run = this->run();
    if (run) words_.add_to(look.watch, run->record.ranks, host_.clock->steady());
    add_throughput(look.watch, run ? run->record.global_batch : std::nullopt);
    if (telemetry_) look.watch.ports = telemetry_->look();
    return look;
  }

  Look look() {
    Look look = read();
    if (!options_.prometheus.empty())
      write_metrics(options_.prometheus,
                    prometheus_text(look.watch, metrics_prefix(), name_of_this_host()));
    return look;
  }

 private:
  std::string metrics_prefix() const {
    const std::string& own = stack_.accelerator.metrics;
    return own.empty() ? "topsctl_card" : own;
  }

  // The named run, else the last running one.
  std::optional<Run> run() const {
    if (!options_.run.empty()) return run_named(own_, options_.run);
    std::vector<Run> runs = all_runs(own_);
    const auto last = std::find_if(runs.rbegin(), runs.rend(),
                                   [](const Run& run) { return run.state == RunState::running; });
    return last == runs.rend() ? std::nullopt : std::optional(*last);
  }

  const WatchCommandOptions& options_;
  const Host& host_;
  const Host own_;
  const Stack stack_;
  const DiagnosisCatalogue catalogue_;
  RankWords words_;
  HostLoadMeter load_;
  NetworkMeter network_;
  const std::optional<BenchmarkNote> benchmark_;
  std::optional<FlowTelemetry> telemetry_;
};

ReportHeader header_of(const Look& look) {
  ReportHeader header;
  header.command = "watch";
  if (look.watch.are_cards_idle) header.exit = ExitCode::problems;
  return header;
}

// Repeated readings, each as one line of JSON, or as a picture.
Output watch_on(const WatchCommandOptions& options, Watching& watching, Session& session) {
  Output output;
  output.header.command = "watch";
  output.is_written = true;
  std::optional<LiveView> view;
  if (!session.json) view.emplace();
  for (;;) {
    const WaitLimit limit(options.interval_s * ms_per_interval_s);
    Look look;
    try {
      look = watching.look();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated)
        return output;
      throw;
    }
    if (session.json) {
      const Json body = to_json(look.watch, look.judgement);
      write_all(Descriptor(::dup(STDOUT_FILENO)),
                concat(to_line(document(header_of(look), body)), "\n"), "standard output");
      if (wait_for({}, limit) || is_interrupted()) return output;
      continue;
    }
    const LiveView::Picture picture = [&](std::size_t columns, std::size_t rows) {
      const std::string heading = format("topsctl watch  {}  every {} s, q to quit",
                                         timestamp(session.host.clock->now()), options.interval_s);
      return watch_picture(look.watch, look.judgement, heading, columns, rows, session.style);
    };
    view->draw(picture);
    if (!view->wait(limit, picture)) return output;
  }
}

Output run_watch(const WatchCommandOptions& options, Session& session) {
  Watching watching(options, session);
  const bool is_shown = ::isatty(STDOUT_FILENO) == 1 && session.detail != Verbosity::quiet;
  const bool goes_on = !options.once && (session.json ? options.is_interval_given : is_shown);
  if (goes_on) return watch_on(options, watching, session);
  // Rates are those between two readings.
  static_cast<void>(watching.read());
  pause_for(std::chrono::milliseconds(ms_per_interval_s));
  const Look look = watching.look();
  Output output;
  output.header = header_of(look);
  output.json = to_json(look.watch, look.judgement);
  output.text = watch_text(look.watch, look.judgement, session.style);
  return output;
}

}  // namespace

CommandAction define_watch(OptionTable& table) {
  auto options = std::make_shared<WatchCommandOptions>();
  table.argument("run", options->run,
                 "Run of `topsctl launch`; default: the latest that is running", "RUN");
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.flag("--once", options->once, "Print once and exit; default without a terminal")
      .excludes("--interval");
  table.value("--interval", options->interval_s, "Refresh interval in seconds; default: 2", "S")
      .check(whole_number(1, most_interval_s))
      .excludes("--target")
      .excludes("--hosts");
  table.value("--prometheus", options->prometheus,
              "Write metrics to this file of node_exporter's textfile collector", "FILE.prom");
  table.value("--telemetry", options->telemetry, "Summarize the VCCL telemetry in this directory",
              "DIR");
  Json nothing = to_json(CardWatch{}, Judgement{});
  nothing["verdict"] = nullptr;
  return {[options, &table](Session& session) {
            options->is_interval_given = table.has("--interval");
            return run_watch(*options, session);
          },
          nothing};
}

}  // namespace topsctl

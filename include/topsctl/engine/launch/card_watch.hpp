// The cards of a host and their ranks, at one moment. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/diagnosis/machine_state.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/engine/launch/benchmark_note.hpp"
#include "topsctl/engine/launch/flow_telemetry.hpp"
#include "topsctl/engine/launch/throughput.hpp"
#include "topsctl/host/facts/network_load.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct WatchedCard {
  CardReading reading;
  std::optional<std::int64_t> pid;  // the first process that has it open
  std::optional<int> rank;          // rank of that process
};

struct WatchedRank {
  int rank = 0;
  std::int64_t pid = 0;
  std::string state;  // "R", "S", "T", ...
  std::vector<std::int64_t> cards;
  bool is_working = false;  // it used processor time between two readings
  // From the logs of its run.
  std::string last_line;
  std::string iteration;                        // empty: none
  std::optional<double> iterations_per_second;  // since the last reading with another iteration
};

struct CardWatch {
  std::string tool;       // the tool that lists the cards: "efsmi"
  bool is_known = false;  // false: the tool is missing or its output is unrecognized
  std::string failure;    // error message of the tool
  std::vector<WatchedCard> cards;
  std::vector<WatchedRank> ranks;   // by rank
  std::optional<std::size_t> busy;  // cards; nothing: unknown
  bool are_cards_idle = false;      // ranks are running, and no card is busy
  std::vector<FlowPort> ports;      // ports with telemetry
  HostLoad host;
  std::vector<NetworkRate> network;
  Throughput throughput;                   // of the run whose ranks are shown
  std::vector<std::string> advice;         // on workers and memory
  std::optional<BenchmarkNote> benchmark;  // this user's last one
};

// Pure.
CardWatch card_watch(const MachineState& state);
// From the ranks' pace and the batch size in the record of their run. Adds the advice too.
void add_throughput(CardWatch& watch, std::optional<std::int64_t> global_batch);
// {source, failure, cards[], ranks[], cards_busy, idle_alarm, telemetry[], host, bandwidth_gbps,
// network[], throughput, advice[], benchmark, verdict, first_cause}
Json to_json(const CardWatch& watch, const Judgement& judgement);
// The text exposition format of Prometheus. The names begin with `prefix`; with "enflame_gcu" they
// match the vendor's gcu-exporter. Omits unknown values.
std::string prometheus_text(const CardWatch& watch, const std::string& prefix,
                            const std::string& host_name);

}  // namespace topsctl

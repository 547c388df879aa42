// Reads the state of a host, and names its signals.
#include "topsctl/engine/diagnosis/machine_state.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/card_tool.hpp"
#include "topsctl/host/facts/control_group.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t tool_timeout_ms = 20'000;
constexpr std::int64_t monitor_timeout_ms = 5'000;  // its data are not worth a longer wait
constexpr std::int64_t between_looks_ms = 1'000;
constexpr double busy_from_percent = 1.0;
constexpr std::int64_t stalled_below_ms = 50;  // of CPU time between the two looks

std::optional<std::string> text_of(const Host& host, const std::string& path) {
  try {
    return read_text_if_present(host.resolve(path), std::uint64_t{1} << 20U);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::uint64_t> number_behind(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  const auto digit = text.find_first_not_of(" \t", at + word.size());
  std::uint64_t value = 0;
  if (digit == std::string::npos ||
      std::from_chars(text.data() + digit, text.data() + text.size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

std::optional<std::uint64_t> soft_limit(decltype(RLIMIT_NOFILE) resource) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

HostLimits limits_of(const Host& host) {
  constexpr std::uint64_t kib = 1024;
  HostLimits limits;
  struct statvfs shm {};
  if (::statvfs(host.resolve("/dev/shm").c_str(), &shm) == 0) {
    limits.shm_bytes = std::uint64_t{shm.f_blocks} * shm.f_frsize;
    limits.shm_free_bytes = std::uint64_t{shm.f_bavail} * shm.f_frsize;
  }
  limits.open_files = soft_limit(RLIMIT_NOFILE);
  limits.locked_memory = soft_limit(RLIMIT_MEMLOCK);
  if (const auto memory = text_of(host, "/proc/meminfo")) {
    if (const auto available = number_behind(*memory, "MemAvailable:"))
      limits.memory_available_bytes = *available * kib;
  }
  limits.memory_oom_kills = oom_kills_of_group(host);
  try {
    limits.disk_free_bytes = free_bytes(".");
  } catch (const Error&) {
  }
  return limits;
}

// T20's table lacks the used memory; the monitor of the same tool has it.
void ask_monitor(const Host& host, CardToolReading& reading) {
  if (std::all_of(reading.cards.begin(), reading.cards.end(),
                  [](const CardReading& card) { return card.memory_used_bytes.has_value(); }))
    return;
  Command command = host.command({"efsmi", "--dmon", "-c", "1"}, monitor_timeout_ms);
  command.environment["PATH"] = script_path;
  const RunResult run = host.runner->run(command);
  if (run.ok()) take_monitor_lines(run.output, reading);
}

void ask_tool(const Host& host, const CardToolRules& tool, MachineState& state) {
  try {
    CardToolReading reading = ask_card_tool(host, tool, tool_timeout_ms);
    if (!reading.failure.empty()) {
      state.efsmi_failure = reading.failure;
    } else if (!reading.cards.empty()) {
      state.cards = std::move(reading);
      if (tool.columns.empty()) ask_monitor(host, *state.cards);
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
  }
}

// Nodes that exist but cannot be opened: a container has lost its rights.
std::int64_t refused_nodes(const Host& host, const std::string& prefix, std::int64_t cards) {
  std::int64_t refused = 0;
  for (std::int64_t card = 0; card < cards; ++card) {
    const Descriptor node(
        ::open(host.resolve(concat(prefix, card)).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!node.is_open() && (errno == EPERM || errno == EACCES)) ++refused;
  }
  return refused;
}

const JobProcess* same_process(const std::vector<JobProcess>& list, std::int64_t pid) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const JobProcess& each) { return each.pid == pid; });
  return found == list.end() ? nullptr : &*found;
}

class SignalList {
 public:
  template <class Number>
  void put(const std::string& name, const std::optional<Number>& number) {
    if (number) signals_[name] = std::to_string(*number);
  }
  void count(const std::string& name, std::ptrdiff_t number) {
    signals_[name] = std::to_string(number);
  }
  void put(const std::string& name, const std::string& text) {
    if (!text.empty()) signals_[name] = text;
  }
  Signals take() { return std::move(signals_); }

 private:
  Signals signals_;
};

void add_cards(const MachineState& state, SignalList& signals) {
  signals.count("card_nodes", state.card_nodes);
  signals.count("card_nodes_refused", state.card_nodes_refused);
  signals.put("efsmi_failure", state.efsmi_failure);
  signals.put("driver_release", state.driver_release);
  if (!state.cards) return;
  const auto& cards = state.cards->cards;
  signals.count("cards_total", static_cast<std::ptrdiff_t>(cards.size()));
  signals.put("tool_release", state.cards->driver_version);
  const bool is_reported = std::all_of(cards.begin(), cards.end(), [](const CardReading& card) {
    return card.utilization_percent.has_value();
  });
  if (!is_reported) return;
  const std::ptrdiff_t busy = std::count_if(cards.begin(), cards.end(), is_busy);
  signals.count("cards_busy", busy);
  signals.count("cards_idle", static_cast<std::ptrdiff_t>(cards.size()) - busy);
}

void add_processes(const MachineState& state, SignalList& signals) {
  const auto& all = state.processes;
  const auto is_rank = [](const JobProcess& each) { return each.rank || !each.cards.empty(); };
  signals.count("job_processes", std::count_if(all.begin(), all.end(), is_rank));
  signals.count("ranks", std::count_if(all.begin(), all.end(), [](const JobProcess& each) {
                  return each.rank.has_value();
                }));
  signals.count("ranks_with_launcher",
                std::count_if(all.begin(), all.end(),
                              [](const JobProcess& each) { return each.has_launcher; }));
  std::set<std::int64_t> cards;
  std::set<int> numbers;
  std::ptrdiff_t with_cards = 0;
  std::ptrdiff_t stalled = 0;
  int local_world_size = 0;
  for (const JobProcess& each : all) {
    cards.insert(each.cards.begin(), each.cards.end());
    if (each.rank) numbers.insert(*each.rank);
    with_cards += each.cards.empty() ? 0 : 1;
    local_world_size = std::max(local_world_size, each.local_world_size.value_or(0));
    stalled += each.rank && is_still(state, each) ? 1 : 0;
  }
  signals.count("rank_numbers", static_cast<std::ptrdiff_t>(numbers.size()));
  signals.count("cards_open", static_cast<std::ptrdiff_t>(cards.size()));
  signals.count("processes_with_cards", with_cards);
  signals.count("ranks_still", stalled);
  if (local_world_size > 0) signals.count("local_world_size", local_world_size);
}

}  // namespace

bool is_busy(const CardReading& card) {
  return card.utilization_percent && *card.utilization_percent >= busy_from_percent;
}

bool is_still(const MachineState& state, const JobProcess& process) {
  const JobProcess* later = same_process(state.processes_later, process.pid);
  return later != nullptr && later->cpu_ms - process.cpu_ms < stalled_below_ms;
}

MachineState look_at_machine(const Host& host, const Stack& stack,
                             const std::vector<std::int64_t>& wanted, ProcessLooks looks) {
  MachineState state;
  const std::string& prefix = stack.accelerator.device_node;
  state.cards_wanted = stack.accelerator.cards;
  state.card_nodes = card_nodes(host, prefix, state.cards_wanted).there;
  state.card_nodes_refused = refused_nodes(host, prefix, state.cards_wanted);
  if (const auto version =
          text_of(host, concat("/sys/module/", stack.accelerator.driver, "/version")))
    state.driver_release = printable(trimmed(*version));
  state.limits = limits_of(host);
  state.tool = stack.accelerator.tool.file;
  ask_tool(host, stack.accelerator.tool, state);
  state.processes = job_processes(host, prefix, wanted);
  if (!state.processes.empty() && looks == ProcessLooks::two) {
    pause_for(std::chrono::milliseconds(between_looks_ms));
    state.processes_later = job_processes(host, prefix, wanted);
  }
  return state;
}

Signals signals_of(const MachineState& state) {
  SignalList signals;
  signals.count("cards_wanted", state.cards_wanted);
  add_cards(state, signals);
  const HostLimits& limits = state.limits;
  signals.put("shm_bytes", limits.shm_bytes);
  signals.put("shm_free_bytes", limits.shm_free_bytes);
  signals.put("open_files_limit", limits.open_files);
  signals.put("locked_memory_bytes", limits.locked_memory);
  signals.put("memory_available_bytes", limits.memory_available_bytes);
  signals.put("memory_oom_kills", limits.memory_oom_kills);
  signals.put("disk_free_bytes", limits.disk_free_bytes);
  add_processes(state, signals);
  return signals.take();
}

}  // namespace topsctl

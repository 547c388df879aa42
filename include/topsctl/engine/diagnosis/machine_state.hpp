// The state of a host as far as trainings depend on it, and its signals by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/facts/efsmi.hpp"
#include "topsctl/host/facts/job_processes.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// What a host tells under a name: a number as text, or words. What is unknown is not there.
using Signals = std::map<std::string, std::string, std::less<>>;

// The shared memory, limits and free room of a host; sizes in bytes.
struct HostLimits {
  std::optional<std::uint64_t> shm_bytes;
  std::optional<std::uint64_t> shm_free_bytes;
  std::optional<std::uint64_t> open_files;     // of this user's processes, the soft limit
  std::optional<std::uint64_t> locked_memory;  // nothing: unlimited or unknown
  std::optional<std::uint64_t> memory_available_bytes;
  std::optional<std::uint64_t> memory_oom_kills;  // of the control group
  std::optional<std::uint64_t> disk_free_bytes;   // of the working directory
  bool operator==(const HostLimits&) const = default;
};

struct MachineState {
  std::string tool;                      // that lists the cards: "efsmi"
  std::optional<CardToolReading> cards;  // nothing: it is not there or printed nothing known
  std::string efsmi_failure;
  std::int64_t cards_wanted = 0;  // as the stack says
  std::int64_t card_nodes = 0;
  std::int64_t card_nodes_refused = 0;  // there, and may not be opened
  std::string driver_release;           // of the kernel module; empty: unknown
  HostLimits limits;
  std::vector<JobProcess> processes;
  std::vector<JobProcess> processes_later;  // the same a moment later
  bool operator==(const MachineState&) const = default;
};

// Looks at the host; starts efsmi, and nothing else. With processes, and unless one look is enough,
// waits for a second between two looks at them. Never throws for what it finds.
enum class ProcessLooks { one, two };
MachineState look_at_machine(const Host& host, const Stack& stack,
                             const std::vector<std::int64_t>& wanted,
                             ProcessLooks looks = ProcessLooks::two);

// Whether it computes, as efsmi has it; not where that is not told.
bool is_busy(const CardReading& card);
// Whether a process of the first look used next to no processor time until the second one.
bool is_still(const MachineState& state, const JobProcess& process);

// Pure.
Signals signals_of(const MachineState& state);

}  // namespace topsctl

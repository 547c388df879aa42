// The state of a host that is relevant for trainings, and its signals by name.
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

// Values of a host by name: a number as text, or words. Unknown values are absent.
using Signals = std::map<std::string, std::string, std::less<>>;

// Shared memory, limits and free space of a host; sizes in bytes.
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
  std::string tool;                      // the tool that lists the cards: "efsmi"
  std::optional<CardToolReading> cards;  // nothing: the tool is missing or its output is
                                         // unrecognized
  std::string efsmi_failure;
  std::int64_t cards_wanted = 0;  // by the stack
  std::int64_t card_nodes = 0;
  std::int64_t card_nodes_refused = 0;  // present, but may not be opened
  std::string driver_release;           // of the kernel module; empty: unknown
  HostLimits limits;
  std::vector<JobProcess> processes;
  std::vector<JobProcess> processes_later;  // the second reading
  bool operator==(const MachineState&) const = default;
};

// Reads the state of the host; runs only efsmi. With processes, unless ProcessLooks::one, reads
// them again after one second. Never throws because of what it finds.
enum class ProcessLooks { one, two };
MachineState look_at_machine(const Host& host, const Stack& stack,
                             const std::vector<std::int64_t>& wanted,
                             ProcessLooks looks = ProcessLooks::two);

// Whether the card computes, by efsmi; false if unknown.
bool is_busy(const CardReading& card);
// Whether a process used almost no processor time between the two readings.
bool is_still(const MachineState& state, const JobProcess& process);

// Pure.
Signals signals_of(const MachineState& state);

}  // namespace topsctl

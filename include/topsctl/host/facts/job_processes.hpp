// The processes of trainings on this host, from /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct JobProcess {
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  std::string command;                  // the words of argv, at most 400 bytes
  std::string program;                  // target of /proc/PID/exe; empty: unknown
  std::string state;                    // "R", "S", "D", "T", "Z", ...
  std::optional<int> rank;              // RANK in its environment
  std::optional<int> local_rank;        // LOCAL_RANK
  std::optional<int> world_size;        // WORLD_SIZE
  std::optional<int> local_world_size;  // LOCAL_WORLD_SIZE
  bool has_launcher = false;            // started by torchrun or a similar launcher
  std::vector<std::int64_t> cards;      // cards whose device nodes it has open
  std::int64_t cpu_ms = 0;              // used so far
  bool operator==(const JobProcess&) const = default;
};

// Processes that have a card's node (prefix0, prefix1, ...) open, those that have a rank in their
// environment and run Python, and those of `wanted`; without the workers of a rank. Values that
// this user may not read are empty. By pid.
std::vector<JobProcess> job_processes(const Host& host, const std::string& prefix,
                                      const std::vector<std::int64_t>& wanted);

}  // namespace topsctl

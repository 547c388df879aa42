// Whether a failed training is restarted. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/launch/launch_request.hpp"

namespace topsctl {

// How an attempt ended that failed.
struct AttemptEnd {
  std::string cause;               // id of a diagnosis; empty: unknown
  bool does_restart_help = false;  // by the diagnosis
  std::string place;               // its progress: an iteration, or a checkpoint; empty: unknown
  bool operator==(const AttemptEnd&) const = default;
};

// Why there is no further attempt; empty: there is one. `ends` are those so far, the last one last.
// The same cause at the same place twice stops the restarts.
std::string objection_to_restart(const RestartRules& rules, const std::vector<AttemptEnd>& ends);

// The pause after this number of attempts: 5 s, then twice as long each time, at most 5 minutes.
std::int64_t restart_pause_ms(const RestartRules& rules, std::size_t attempts);

// The words that resume a training, `{checkpoint}` replaced by its path.
std::vector<std::string> resume_words(const RestartRules& rules, const std::string& checkpoint);

}  // namespace topsctl

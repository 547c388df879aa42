// Whether a training that failed is started once more. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/launch/launch_request.hpp"

namespace topsctl {

// How an attempt ended that failed.
struct AttemptEnd {
  std::string cause;               // id of a diagnosis; empty: none is known
  bool does_restart_help = false;  // as the diagnosis says
  std::string place;  // how far it had come: an iteration, or a checkpoint; empty: untold
  bool operator==(const AttemptEnd&) const = default;
};

// Why there is no further attempt; empty: there is one. `ends` are those so far, the last one last.
// The same cause at the same place twice ends it.
std::string objection_to_restart(const RestartRules& rules, const std::vector<AttemptEnd>& ends);

// Before the attempt that follows so many: 5 s, then twice as long each time, 5 minutes at most.
std::int64_t restart_pause_ms(const RestartRules& rules, std::size_t attempts);

// The words that resume a training, `{checkpoint}` replaced by its path.
std::vector<std::string> resume_words(const RestartRules& rules, const std::string& checkpoint);

}  // namespace topsctl

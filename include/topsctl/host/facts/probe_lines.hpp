// Parses the step reports of a backend probe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// `missing`: the API generation does not offer it. `cut_off`: the process ended, or was killed,
// during it.
enum class ProbeState { done, missing, failed, cut_off };

// One step of src/data/probes/backend.py. Values that do not apply are empty, zero or false.
struct ProbeStep {
  std::string name;  // library, torch, module, loaded, devices, card, own, stock, ranks
  ProbeState state = ProbeState::cut_off;
  std::string error;  // one printable line
  std::int64_t duration_ms = 0;
  std::string version;     // of torch and module
  std::string file;        // of torch and module: the imported file
  std::string api;         // of devices: "t2x", "s60", or empty: neither
  std::int64_t count = 0;  // of devices: number; of library and loaded: version code
  std::int64_t card = 0;
  std::string backend;    // of groups: the group's own report
  std::string library;    // of groups, library and loaded: the loaded file; empty: none
  bool is_right = false;  // of cards and groups: the result was correct; of devices: usable; of
                          // loaded: it has the marker
  double total = 0;
  double expected = 0;
  std::int64_t status = 0;       // of ranks: exit status of the launcher
  std::vector<ProbeStep> ranks;  // of ranks, by rank (`card`)
  bool operator==(const ProbeStep&) const = default;
};

// Parses the steps from the descriptor's text; skips lines that do not begin with the token.
std::vector<ProbeStep> parse_probe_lines(std::string_view text, std::string_view token);

}  // namespace topsctl

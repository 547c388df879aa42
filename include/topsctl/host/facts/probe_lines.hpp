// What the probe of a backend tells of its steps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// `missing`: the generation does not offer it. `cut_off`: the process ended, or was ended, in it.
enum class ProbeState { done, missing, failed, cut_off };

// One step of src/data/probes/backend.py. What a state does not tell is empty, zero or false.
struct ProbeStep {
  std::string name;  // library, torch, module, loaded, devices, card, own, stock, ranks
  ProbeState state = ProbeState::cut_off;
  std::string error;  // one printable line
  std::int64_t duration_ms = 0;
  std::string version;     // of torch and module
  std::string file;        // of torch and module: where it was imported from
  std::string api;         // of devices: "t2x", "s60", or empty: neither
  std::int64_t count = 0;  // of devices: how many; of library and loaded: its version code
  std::int64_t card = 0;
  std::string backend;    // of groups: what the group itself says it is
  std::string library;    // of groups, library and loaded: the file that is loaded; empty: none
  bool is_right = false;  // of cards and groups: the known answer came; of devices: usable;
                          // of loaded: it has the marker
  double total = 0;
  double expected = 0;
  std::int64_t status = 0;       // of ranks: exit status of the launcher
  std::vector<ProbeStep> ranks;  // of ranks, by rank (`card`)
  bool operator==(const ProbeStep&) const = default;
};

// The steps in what reached the descriptor; lines that do not begin with the token are passed over.
std::vector<ProbeStep> parse_probe_lines(std::string_view text, std::string_view token);

}  // namespace topsctl

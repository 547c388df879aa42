// The common state of several hosts, and the hosts that deviate.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

// Compared properties: stack and release, driver, kernel, Python, torch, digest of the stack.
inline constexpr std::array<const char*, 6> fleet_properties = {"release", "driver", "kernel",
                                                                "python",  "torch",  "sha256"};

enum class FleetVerdict { unreached, problems, differs, same };
std::string_view name(FleetVerdict verdict);

struct FleetHost {
  std::string target;
  FleetVerdict verdict = FleetVerdict::same;
  std::array<std::string, fleet_properties.size()> values;  // empty: the host does not have it
  std::vector<std::size_t> deviations;  // indices of properties where most hosts have another value
  std::size_t place = 0;                // index among the targets
  std::string error;                    // why its document is missing
};

struct FleetStatus {
  std::vector<FleetHost> hosts;  // deviating hosts first, else in the given order
  // The most common value; if tied, the first host's. Empty: the hosts do not have it.
  std::array<std::string, fleet_properties.size()> usual;
  std::array<bool, fleet_properties.size()> differs = {};

  std::size_t deviating() const;
};

// `targets`: those of a document as in docs/targets.schema.json, with documents of `topsctl
// status`. Pure.
FleetStatus fleet_status(const Json& targets);

// {deviating, properties[], hosts[]}
Json to_json(const FleetStatus& fleet);

}  // namespace topsctl

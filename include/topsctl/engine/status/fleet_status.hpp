// What the hosts of a fleet have in common, and which of them deviate.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

// What is compared: stack and release, driver, kernel, Python, torch, digest of the stack.
inline constexpr std::array<const char*, 6> fleet_properties = {"release", "driver", "kernel",
                                                                "python",  "torch",  "sha256"};

enum class FleetVerdict { unreached, problems, differs, same };
std::string_view name(FleetVerdict verdict);

struct FleetHost {
  std::string target;
  FleetVerdict verdict = FleetVerdict::same;
  std::array<std::string, fleet_properties.size()> values;  // empty: the host does not have it
  std::vector<std::size_t> deviations;  // of properties, where most hosts have another value
  std::size_t place = 0;                // among the targets
  std::string error;                    // why there is no document of it
};

struct FleetStatus {
  std::vector<FleetHost> hosts;  // those that deviate first, else in the order that was given
  // What most hosts have; of several such values the first host's. Empty: the hosts do not have it.
  std::array<std::string, fleet_properties.size()> usual;
  std::array<bool, fleet_properties.size()> differs = {};

  std::size_t deviating() const;
};

// `targets`: those of a document of docs/targets.schema.json, with documents of `topsctl status`.
// Pure.
FleetStatus fleet_status(const Json& targets);

// {deviating, properties[], hosts[]}
Json to_json(const FleetStatus& fleet);

}  // namespace topsctl

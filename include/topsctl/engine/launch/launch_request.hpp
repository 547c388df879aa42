// The options of a launch, from its command line or a job file. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/launch/node_place.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

inline constexpr std::int64_t most_ranks = 1024;
inline constexpr std::int64_t most_port = 65'535;
inline constexpr std::int64_t most_restarts = 1'000'000;  // also the maximum of kept checkpoints
inline constexpr std::int64_t most_restart_delay_s = 86'400;
inline constexpr const char* any_cause = "any";          // as a cause of a restart
inline constexpr const char* unknown_cause = "unknown";  // no diagnosis explains the failure
inline constexpr const char* no_preflight = "none";      // instead of a level

// The action when a training stands still.
enum class OnStall { report, stop, restart };
std::string_view name(OnStall what);
std::optional<OnStall> on_stall_named(std::string_view name);
// All their names, in this order.
const std::vector<std::string>& on_stall_names();

// When a failed training is restarted, and from which state.
struct RestartRules {
  std::int64_t most = 0;  // maximum number of restarts
  // Diagnosis ids, in addition to those whose diagnosis recommends a restart; `unknown`: unknown
  // cause; `any`.
  std::vector<std::string> causes;
  std::int64_t delay_s = 0;  // before each restart; 0: a growing delay
  std::string checkpoints;   // a directory; empty: start from the beginning
  // Words with {checkpoint}, separated by blanks, that are added from the second attempt on.
  std::string resume;
  std::int64_t keep = 0;  // number of complete checkpoints to keep; 0: all
  bool operator==(const RestartRules&) const = default;
};

struct LaunchRequest {
  std::vector<std::string> words;  // script and arguments; empty for a measurement
  std::string
      measurement;  // the argument of topsctl's own benchmark, which runs instead of a script
  std::int64_t ranks = 0;        // 0: one per card
  std::string cards;             // "0,1,4"; empty: all
  std::string stack;             // empty: the first known one
  std::string python;            // empty: the stack's
  std::string level = "device";  // of the preflight; "none"
  std::vector<std::string> accepted;
  SettingOptions settings;
  std::string log_folder;        // empty: a name with the time
  std::int64_t master_port = 0;  // 0: any free one
  RestartRules restart;
  std::string stall_minutes = "15";  // a decimal number; "0": no detection
  std::string on_stall = "report";
  std::string shim = "auto";            // whether the ranks load the runtime shim
  std::optional<NodePlace> place = {};  // nothing: this host trains alone
  bool operator==(const LaunchRequest&) const = default;
};

// The minutes of `stall_minutes` in milliseconds. Throws Error{usage} if the number is invalid.
std::int64_t stall_ms(const LaunchRequest& request);

// The content of a job file, and `request` in a record.
Json to_json(const LaunchRequest& request);
// Throws Error{bad_stack} with the reason. A job file may omit all keys except `words`.
LaunchRequest launch_request_in(const JsonReader& job);

}  // namespace topsctl

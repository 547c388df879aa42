// Problems with the stacks' environment variables on a host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/checks/assignments.hpp"
#include "topsctl/engine/checks/environment_places.hpp"
#include "topsctl/engine/checks/shell_assignments.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"
#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

struct EnvironmentCheck {
  std::vector<EnvironmentPlace> places;  // those that set something
  std::vector<Finding> findings;         // worst first
};

// Pure except for `is_folder`, which checks the host.
std::vector<Finding> environment_findings(const std::vector<EnvironmentPlace>& places,
                                          const Stack& stack,
                                          const std::function<bool(const std::string&)>& is_folder);

// Whether this process has a variable that the stack's environment file sets, or there is no such
// file. Search paths do not count, because other files set them too.
bool is_in_effect(const std::vector<EnvironmentPlace>& places);

// Conflicts among these variables of severity warning or worse, regardless of other settings of the
// host; a note on a variable that `chosen` sets becomes a warning. Does not check that directories
// exist, because the job may run on another host.
std::vector<Finding> setting_findings(const std::map<std::string, std::string>& variables,
                                      const Stack& stack, const SettingOptions& chosen);

EnvironmentCheck check_environment(const Host& host, const Stack& stack,
                                   std::optional<std::int64_t> process,
                                   std::vector<std::string>& warnings);

// Whether there is a finding of severity warning or worse.
bool has_problems(const EnvironmentCheck& check);

// {places[], variables[], findings[]}
Json to_json(const EnvironmentCheck& check);

// A variable with all places that set it, in their order.
struct SetVariable {
  std::string name;
  VariableGrade grade = VariableGrade::unknown;
  struct At {
    const EnvironmentPlace* place;
    const Assignment* assignment;
  };
  std::vector<At> at;
};
std::vector<SetVariable> set_variables(const std::vector<EnvironmentPlace>& places);

}  // namespace topsctl

// What sets the stacks' environment variables on a machine, and what of it is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/checks/assignments.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack.hpp"
#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

enum class PlaceKind { shell, login, unit, process };
std::string_view name(PlaceKind kind);

// One place that sets variables, as far as they concern the stacks.
struct EnvironmentPlace {
  std::string name;  // the file as the machine sees it, "this process", "process 12"
  PlaceKind kind = PlaceKind::shell;
  bool is_of_stack = false;  // the stack's own environment file
  ShellAssignments set;
};

struct EnvironmentCheck {
  std::vector<EnvironmentPlace> places;  // those that set something
  std::vector<Finding> findings;         // worst first
};

// Reads start files of shells and log-ins, units of systemd, and on the running system this process
// and, if one is named, another. A file that cannot be read adds a warning. Throws Error{usage} if
// there is no such process, Error{permission} if its environment may not be read.
std::vector<EnvironmentPlace> environment_places(const Host& host, const Stack& stack,
                                                 std::optional<std::int64_t> process,
                                                 std::vector<std::string>& warnings);

// Pure but for `is_folder`, which answers for the machine.
std::vector<Finding> environment_findings(const std::vector<EnvironmentPlace>& places,
                                          const Stack& stack,
                                          const std::function<bool(const std::string&)>& is_folder);

EnvironmentCheck check_environment(const Host& host, const Stack& stack,
                                   std::optional<std::int64_t> process,
                                   std::vector<std::string>& warnings);

// Whether there is a finding of severity warning or worse.
bool has_problems(const EnvironmentCheck& check);

// {places[], variables[], findings[]}
Json to_json(const EnvironmentCheck& check);

// All variables that are set, by name, with the places of each in their order.
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

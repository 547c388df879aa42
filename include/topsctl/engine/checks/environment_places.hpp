// The places of a host that set environment variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/checks/shell_assignments.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

enum class PlaceKind { shell, login, unit, process };
std::string_view name(PlaceKind kind);

// One place that sets variables of the stacks.
struct EnvironmentPlace {
  std::string name;  // the file on the host, "this process", "process 12"
  PlaceKind kind = PlaceKind::shell;
  bool is_of_stack = false;  // the stack's own environment file
  bool is_here = false;      // the environment that this process was started with
  ShellAssignments set;
};

// Reads the start files of shells and logins, systemd units, and on the running system this process
// and optionally another. A file that cannot be read adds a warning. Throws Error{usage} if there
// is no such process, Error{permission} if its environment may not be read.
std::vector<EnvironmentPlace> environment_places(const Host& host, const Stack& stack,
                                                 std::optional<std::int64_t> process,
                                                 std::vector<std::string>& warnings);

}  // namespace topsctl

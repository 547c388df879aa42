// The names of levels and kinds of checks.
#include "topsctl/model/check_rule.hpp"

#include <algorithm>

namespace topsctl {

namespace {

// The index of a name; nothing if it is unknown.
std::optional<std::size_t> index_in(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

const std::vector<std::string>& level_names() {
  static const std::vector<std::string> names = {"files",  "load",  "import", "device",
                                                 "single", "ranks", "perf"};
  return names;
}

std::string_view name(CheckLevel level) {
  return level_names().at(static_cast<std::size_t>(level));
}

std::optional<CheckLevel> level_named(std::string_view name) {
  const auto index = index_in(level_names(), name);
  return index ? std::optional(static_cast<CheckLevel>(*index)) : std::nullopt;
}

const std::vector<std::string>& check_kind_names() {
  static const std::vector<std::string> names = {
      "deb_installed",   "deb_files",         "library",
      "wheel_installed", "impostors",         "environment_file",
      "library_links",   "library_call",      "wheels_unchanged",
      "python_import",   "loaded_library",    "driver",
      "device_nodes",    "pci_cards",         "management_tool",
      "infiniband",      "device_count",      "card_arithmetic",
      "process_group",   "torch_distributed", "ranks",
      "perf_tool"};
  return names;
}

std::string_view name(CheckKind kind) {
  return check_kind_names().at(static_cast<std::size_t>(kind));
}

std::optional<CheckKind> check_kind_named(std::string_view name) {
  const auto index = index_in(check_kind_names(), name);
  return index ? std::optional(static_cast<CheckKind>(*index)) : std::nullopt;
}

const std::vector<std::string>& card_tool_columns() {
  static const std::vector<std::string> names = {"index",
                                                 "model",
                                                 "bus_id",
                                                 "serial",
                                                 "temperature_c",
                                                 "power_w",
                                                 "power_cap_w",
                                                 "memory_total_mib",
                                                 "memory_used_mib",
                                                 "utilization_percent",
                                                 "state",
                                                 "driver_version",
                                                 "other"};
  return names;
}

bool needs_device(const CheckRule& rule) {
  return rule.kind == CheckKind::device_count || rule.kind == CheckKind::card_arithmetic ||
         rule.kind == CheckKind::process_group || rule.kind == CheckKind::torch_distributed;
}

}  // namespace topsctl

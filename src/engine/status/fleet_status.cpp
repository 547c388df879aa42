// Compares the status documents of hosts.
#include "topsctl/engine/status/fleet_status.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string text_at(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!document.is_object() || !document.contains(place) || !document.at(place).is_string())
    return {};
  return printable(document.at(place).get<std::string>());
}

std::array<std::string, fleet_properties.size()> values_of(const Json& report) {
  const std::string stack = text_at(report, "/installed/stack");
  const std::string release = text_at(report, "/installed/release");
  return {release.empty() ? stack : concat(stack, " ", release),
          text_at(report, "/driver"),
          text_at(report, "/kernel"),
          text_at(report, "/python/version"),
          text_at(report, "/torch"),
          text_at(report, "/installed/sha256")};
}

// A host whose report does not say so is not called intact.
bool is_proved_sound(const Json& report) {
  const auto installed = report.find("installed");
  const auto intact = report.find("intact");
  const bool has_nothing = installed != report.end() && installed->is_null();
  const bool is_intact = intact != report.end() && *intact == Json(true);
  return text_at(report, "/status") == "ok" && (has_nothing || is_intact);
}

FleetHost fleet_host(const Json& target, std::size_t place) {
  FleetHost host;
  host.place = place;
  host.target = text_at(target, "/target");
  const auto report = target.find("report");
  const bool has_report = report != target.end() && report->is_object();
  // Its document may report that the host cannot be examined.
  if (!has_report || text_at(target, "/status") != "done") {
    host.verdict = FleetVerdict::unreached;
    host.error = text_at(target, "/error/message");
    return host;
  }
  host.values = values_of(*report);
  if (!is_proved_sound(*report)) host.verdict = FleetVerdict::problems;
  return host;
}

std::string most_common(const std::vector<FleetHost>& hosts, std::size_t property) {
  std::map<std::string, std::size_t> counts;
  for (const FleetHost& host : hosts) {
    if (host.verdict != FleetVerdict::unreached) ++counts[host.values[property]];
  }
  std::string found;
  std::size_t most = 0;
  for (const FleetHost& host : hosts) {
    if (host.verdict == FleetVerdict::unreached || counts[host.values[property]] <= most) continue;
    found = host.values[property];
    most = counts[found];
  }
  return found;
}

}  // namespace

std::string_view name(FleetVerdict verdict) {
  switch (verdict) {
    case FleetVerdict::unreached:
      return "unreached";
    case FleetVerdict::problems:
      return "problems";
    case FleetVerdict::differs:
      return "differs";
    case FleetVerdict::same:
      return "same";
  }
  return {};
}

std::size_t FleetStatus::deviating() const {
  return static_cast<std::size_t>(
      std::count_if(hosts.begin(), hosts.end(),
                    [](const FleetHost& host) { return host.verdict != FleetVerdict::same; }));
}

FleetStatus fleet_status(const Json& targets) {
  FleetStatus fleet;
  for (std::size_t i = 0; i < targets.size(); ++i) fleet.hosts.push_back(fleet_host(targets[i], i));
  for (std::size_t i = 0; i < fleet_properties.size(); ++i) {
    fleet.usual[i] = most_common(fleet.hosts, i);
    for (FleetHost& host : fleet.hosts) {
      if (host.verdict == FleetVerdict::unreached || host.values[i] == fleet.usual[i]) continue;
      host.deviations.push_back(i);
      fleet.differs[i] = true;
      if (host.verdict == FleetVerdict::same) host.verdict = FleetVerdict::differs;
    }
  }
  std::stable_sort(fleet.hosts.begin(), fleet.hosts.end(),
                   [](const FleetHost& a, const FleetHost& b) { return a.verdict < b.verdict; });
  return fleet;
}

Json to_json(const FleetStatus& fleet) {
  Json properties = Json::array();
  for (std::size_t i = 0; i < fleet_properties.size(); ++i)
    properties.push_back({{"name", fleet_properties[i]},
                          {"usual", text_or_null(fleet.usual[i])},
                          {"differs", fleet.differs[i]}});
  Json hosts = Json::array();
  for (const FleetHost& host : fleet.hosts) {
    Json values = Json::object();
    Json deviations = Json::array();
    for (std::size_t i = 0; i < fleet_properties.size(); ++i)
      values[fleet_properties[i]] = text_or_null(host.values[i]);
    for (const std::size_t i : host.deviations) deviations.push_back(fleet_properties[i]);
    hosts.push_back({{"target", host.target},
                     {"verdict", name(host.verdict)},
                     {"deviations", std::move(deviations)},
                     {"values", std::move(values)}});
  }
  return {{"deviating", fleet.deviating()},
          {"properties", std::move(properties)},
          {"hosts", std::move(hosts)}};
}

}  // namespace topsctl

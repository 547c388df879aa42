// Checks of the cards by the kernel and the vendor's tool.
#include "engine/checks/device_checks.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/checks/check_outcomes.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/card_tool.hpp"
#include "topsctl/host/facts/infiniband.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_attribute = 4096;
constexpr std::int64_t tool_timeout_ms = 60'000;
constexpr const char* container_hint =
    "on the host, load the driver; in a container, start it with --privileged or the vendor's "
    "container runtime (runc 1.1.3 loses devices after `systemctl daemon-reload`: use 1.1.7)";

std::string attribute(const Host& host, const std::string& path) {
  std::string text = read_text_if_present(host.resolve(path), most_attribute).value_or("");
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return printable(text);
}

bool is_folder(const Host& host, const std::string& path) {
  struct stat status {};
  return ::stat(host.resolve(path).c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string cards_of(std::int64_t cards) {
  return counted(static_cast<std::size_t>(cards), "card");
}

CardNodes nodes_of(const CheckedMachine& machine) {
  return card_nodes(machine.host, machine.stack.accelerator.device_node, machine.cards());
}

}  // namespace

bool has_every_node(const CheckedMachine& machine) {
  return nodes_of(machine).there == machine.cards();
}

void judge_driver(const CheckedMachine& machine, CheckResult& result) {
  const std::string& driver = machine.stack.accelerator.driver;
  result.expected = format("kernel module {}", driver);
  if (!is_folder(machine.host, "/sys/module"))
    return leave_unknown(result, "cannot check: no /sys/module", "");
  if (!is_folder(machine.host, concat("/sys/module/", driver)))
    return fail(result, format("kernel module {} is not loaded", driver), container_hint);
  const std::string version = attribute(machine.host, concat("/sys/module/", driver, "/version"));
  pass(result,
       version.empty() ? format("{} of unknown version", driver) : concat(driver, " ", version));
}

void judge_nodes(const CheckedMachine& machine, CheckResult& result) {
  const std::string& prefix = machine.stack.accelerator.device_node;
  const std::int64_t cards = machine.cards();
  result.expected = format("a device node for each of {}", cards_of(cards));
  const CardNodes nodes = nodes_of(machine);
  if (!nodes.no_device.empty()) {
    return fail(result, format("{} is not a character device", nodes.no_device),
                "another file is in its place: remove it and reload the driver");
  }
  if (nodes.there == 0)
    return fail(result, format("{}0 does not exist (GCU count:0)", prefix), container_hint);
  if (nodes.there < cards) {
    return fail(result, format("{} of {}: {} is missing", nodes.there, cards, nodes.first_missing),
                format("check `dmesg` for the card; for a host with {} use --cards {}",
                       cards_of(nodes.there), nodes.there));
  }
  pass(result, format("{}0 to {}{}", prefix, prefix, cards - 1));
}

void judge_pci(const CheckedMachine& machine, CheckResult& result) {
  constexpr const char* folder = "/sys/bus/pci/devices";
  const std::string vendor = concat("0x", machine.stack.accelerator.pci_vendor);
  result.expected = format("{} of vendor {} on the PCI bus", cards_of(machine.cards()), vendor);
  if (!is_folder(machine.host, folder))
    return leave_unknown(result, format("cannot check: no {}", folder), "");
  std::int64_t cards = 0;
  std::error_code failure;
  for (auto at = fs::directory_iterator(machine.host.resolve(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (attribute(machine.host, concat(folder, "/", at->path().filename().string(), "/vendor")) ==
        vendor)
      ++cards;
  }
  const std::string observed =
      format("{} of vendor {}", counted(static_cast<std::size_t>(cards), "device"), vendor);
  if (cards >= machine.cards()) return pass(result, observed);
  fail(result, observed,
       "a card missing from the bus has no power, is not seated or is defective: check `lspci` and "
       "`dmesg`");
}

void judge_infiniband(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  constexpr const char* folder = "/sys/class/infiniband";
  result.expected = "all InfiniBand ports in use are active and run at the same rate";
  if (!is_folder(machine.host, folder))
    return leave_unknown(result, format("cannot check: no {}", folder), "");
  const auto variables = machine.variables();
  const auto wanted = variables.find(rule.variable);
  const std::string list = wanted == variables.end() ? std::string() : wanted->second;
  std::vector<std::string> seen;
  std::vector<std::string> down;
  std::set<std::string> rates;
  for (const InfinibandPort& port : infiniband_ports(machine.host)) {
    if (!is_in_port_list(port, list)) continue;
    const std::string text = format("{}:{} {} {}", port.device, port.number, port.state, port.rate);
    seen.push_back(text);
    if (port.state == "ACTIVE")
      rates.insert(port.rate);
    else
      down.push_back(text);
  }
  if (seen.empty())
    return fail(result,
                list.empty() ? std::string("no port found")
                             : format("no port matches {}={}", rule.variable, list),
                "list the ports with `ibstat`");
  if (!down.empty())
    return fail(result, joined(down, ", "), "check the cable and the switch: `ibstat`");
  if (rates.size() > 1)
    return fail(result, joined(seen, ", "),
                "the slowest port slows down all: check its cable, or exclude it");
  pass(result, joined(seen, ", "));
}

void judge_tool(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  result.expected = format("{} lists {}", rule.file, cards_of(machine.cards()));
  CardToolRules tool = machine.stack.accelerator.tool;
  if (rule.file != tool.file) tool = {.file = rule.file, .arguments = {}, .columns = {}};
  CardToolReading reading;
  try {
    reading = ask_card_tool(machine.host, tool, tool_timeout_ms);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return leave_unknown(result, format("{} is not installed", rule.file),
                         "this is usual in containers: run it on the host");
  }
  if (!reading.failure.empty()) {
    return fail(result, concat(rule.file, ": ", reading.failure),
                "driver and library are from different releases, or no device is accessible: check "
                "`dmesg`");
  }
  if (reading.cards.empty()) {
    return leave_unknown(result, format("unrecognized output of {}", rule.file),
                         format("run `{}` to see why", rule.file));
  }
  const std::string observed =
      format("{} of model {}, driver {}", cards_of(static_cast<std::int64_t>(reading.cards.size())),
             reading.cards.front().model,
             reading.driver_version.empty() ? "unknown" : reading.driver_version);
  if (static_cast<std::int64_t>(reading.cards.size()) >= machine.cards())
    return pass(result, observed);
  fail(result, observed,
       format("check `dmesg` for the missing card, or use --cards {}", reading.cards.size()));
}

}  // namespace topsctl

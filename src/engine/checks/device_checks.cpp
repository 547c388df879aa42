// Checks of what the kernel and the vendor's tool show of the cards.
#include "engine/checks/device_checks.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "engine/checks/check_outcomes.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/card_nodes.hpp"
#include "topsctl/host/facts/efsmi.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_attribute = 4096;
constexpr std::int64_t tool_timeout_ms = 60'000;
constexpr const char* container_hint =
    "on the host, load the driver; in a container, start it with --privileged or the vendor's "
    "container runtime (with runc 1.1.3 devices are lost after `systemctl daemon-reload`: take "
    "1.1.7)";

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
  result.expected = concat("kernel module ", driver);
  if (!is_folder(machine.host, "/sys/module"))
    return leave_unknown(result, "there is no /sys/module to look at", "");
  if (!is_folder(machine.host, concat("/sys/module/", driver)))
    return fail(result, concat("kernel module ", driver, " is not loaded"), container_hint);
  const std::string version = attribute(machine.host, concat("/sys/module/", driver, "/version"));
  pass(result, concat(driver, " ", version.empty() ? "of unknown version" : version));
}

void judge_nodes(const CheckedMachine& machine, CheckResult& result) {
  const std::string& prefix = machine.stack.accelerator.device_node;
  const std::int64_t cards = machine.cards();
  result.expected = concat("a device node for each of ", cards_of(cards));
  const CardNodes nodes = nodes_of(machine);
  if (!nodes.no_device.empty()) {
    return fail(result, concat(nodes.no_device, " is no character device"),
                "somebody has put a file in its place: remove it and load the driver again");
  }
  if (nodes.there == 0)
    return fail(result, concat("there is no ", prefix, "0 (GCU count:0)"), container_hint);
  if (nodes.there < cards) {
    return fail(result,
                concat(nodes.there, " of ", cards, ": ", nodes.first_missing, " is missing"),
                concat("look for the card in `dmesg`; for a machine of ", cards_of(nodes.there),
                       " say --cards ", nodes.there));
  }
  pass(result, concat(prefix, "0 to ", prefix, cards - 1));
}

void judge_pci(const CheckedMachine& machine, CheckResult& result) {
  constexpr const char* folder = "/sys/bus/pci/devices";
  const std::string vendor = concat("0x", machine.stack.accelerator.pci_vendor);
  result.expected = concat(cards_of(machine.cards()), " of vendor ", vendor, " on the PCI bus");
  if (!is_folder(machine.host, folder))
    return leave_unknown(result, concat("there is no ", folder, " to look at"), "");
  std::int64_t cards = 0;
  std::error_code failure;
  for (auto at = fs::directory_iterator(machine.host.resolve(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (attribute(machine.host, concat(folder, "/", at->path().filename().string(), "/vendor")) ==
        vendor)
      ++cards;
  }
  const std::string observed =
      concat(counted(static_cast<std::size_t>(cards), "device"), " of vendor ", vendor);
  if (cards >= machine.cards()) return pass(result, observed);
  fail(result, observed,
       "a card that the bus does not show is not powered, not seated or defective: see `lspci` and "
       "`dmesg`");
}

void judge_tool(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  result.expected = concat(rule.file, " lists ", cards_of(machine.cards()));
  RunResult run;
  try {
    run = machine.host.runner->run(machine.host.command({rule.file}, tool_timeout_ms));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return leave_unknown(result, concat("there is no ", rule.file, " here"),
                         "in containers that is usual: ask it on the host");
  }
  const EfsmiReading reading = parse_efsmi(run.output);
  if (!reading.failure.empty() || !run.ok()) {
    return fail(
        result, concat(rule.file, ": ", reading.failure.empty() ? run.ending() : reading.failure),
        "driver and library are of different releases, or no device may be used: see `dmesg`");
  }
  if (reading.cards.empty()) {
    return leave_unknown(result, concat(rule.file, " printed nothing that is known"),
                         concat("run `", rule.file, "` and look"));
  }
  const std::string observed =
      concat(cards_of(static_cast<std::int64_t>(reading.cards.size())), " of model ",
             reading.cards.front().model, ", driver ",
             reading.driver_version.empty() ? "unknown" : reading.driver_version);
  if (static_cast<std::int64_t>(reading.cards.size()) >= machine.cards())
    return pass(result, observed);
  fail(result, observed,
       concat("look for the missing card in `dmesg`, or say --cards ", reading.cards.size()));
}

}  // namespace topsctl

// Stops the services of packages that will be removed.
#include "topsctl/engine/execution/services.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/daemons.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t manager_timeout_ms = 120'000;
constexpr std::int64_t term_patience_ms = 10'000;
constexpr std::int64_t kill_patience_ms = 2'000;
constexpr const char* dpkg_info = "/var/lib/dpkg/info/";

// The path of dpkg's file about an installed package: for Multi-Arch: same, the name has the
// architecture.
std::string info_file(const Host& host, const PackageChange& package, const std::string& suffix) {
  const std::size_t arch = package.purl.find("?arch=");
  std::vector<std::string> names = {package.name};
  if (arch != std::string::npos) {
    names.push_back(concat(package.name, ":", package.purl.substr(arch + 6)));
  }
  for (const std::string& name : names) {
    const std::string path = concat(dpkg_info, name, suffix);
    std::error_code ignored;
    if (fs::is_regular_file(host.resolve(path), ignored)) return path;
  }
  return {};
}

bool has_services(const Host& host, const PackageChange& package) {
  const std::string list = info_file(host, package, ".list");
  if (list.empty()) return false;
  const std::vector<std::string> paths = split(read_text(host.resolve(list)), '\n');
  return std::any_of(paths.begin(), paths.end(), is_service);
}

bool has_service_manager(const Host& host) {
  std::error_code ignored;
  return host.root == "/" && fs::is_directory("/run/systemd/system", ignored);
}

bool is_unit(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  const bool is_unit_folder = parent == "/lib/systemd/system" ||
                              parent == "/usr/lib/systemd/system" ||
                              parent == "/etc/systemd/system";
  const std::string kind = fs::path(path).extension().string();
  return is_unit_folder && (kind == ".service" || kind == ".socket" || kind == ".timer" ||
                            kind == ".path" || kind == ".mount");
}

// Of a template, each of its instances.
std::string unit_pattern(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  const auto at = name.find("@.");
  return at == std::string::npos ? name : name.insert(at + 1, "*");
}

std::set<std::string> going_paths(const Snapshot& undo) {
  std::set<std::string> going;
  for (const KeptPath& kept : undo.paths) {
    if (kept.state.type == FileState::Type::absent) going.insert(kept.path);
  }
  return going;
}

void stop_units(const Host& host, const Snapshot& undo, EventSink& events) {
  const std::vector<std::string> units = stopped_units(host, undo);
  if (units.empty()) return;
  std::vector<std::string> argv = {"systemctl", "stop", "--"};
  argv.insert(argv.end(), units.begin(), units.end());
  const RunResult result = host.runner->run(host.command(argv, manager_timeout_ms));
  if (!result.ok()) events.warning(format("systemctl stop failed: {}", result.ending()));
}

// Whether all have ended before the time is over.
bool are_gone_within(const Host& host, const std::vector<DaemonProcess>& daemons,
                     const std::set<std::string>& going, std::int64_t timeout_ms) {
  constexpr std::chrono::milliseconds pause{20};
  const WaitLimit limit(timeout_ms);
  for (;;) {
    const auto left =
        daemons_of(host, [&](const std::string& path) { return going.contains(path); });
    const bool are_gone =
        std::none_of(daemons.begin(), daemons.end(), [&](const DaemonProcess& each) {
          return std::find(left.begin(), left.end(), each) != left.end();
        });
    if (are_gone || limit.is_over()) return are_gone;
    std::this_thread::sleep_for(pause);
  }
}

void end_daemons(const Host& host, const std::set<std::string>& going,
                 std::vector<std::string>& told) {
  const auto is_going = [&](const std::string& path) { return going.contains(path); };
  const std::vector<DaemonProcess> daemons = daemons_of(host, is_going);
  for (const DaemonProcess& each : daemons) ::kill(each.pid, SIGTERM);
  if (daemons.empty() || are_gone_within(host, daemons, going, term_patience_ms)) return;
  const std::vector<DaemonProcess> stubborn = daemons_of(host, is_going);
  for (const DaemonProcess& each : stubborn) ::kill(each.pid, SIGKILL);
  if (are_gone_within(host, stubborn, going, kill_patience_ms)) return;
  for (const DaemonProcess& each : daemons_of(host, is_going))
    told.push_back(format("process {} still runs {}", each.pid, in_quotes(each.file)));
}

}  // namespace

bool is_service(const std::string& path) {
  return fs::path(path).parent_path() == "/etc/init.d" || is_unit(path);
}

std::vector<std::string> stop_services(const Host& host, const Transaction& transaction,
                                       const Snapshot& undo, EventSink& events) {
  std::vector<std::string> told;
  for (const PackageChange& package : summary_of(transaction).packages) {
    if (package.kind == PackageKind::deb && package.before && has_services(host, package)) {
      told.push_back(format("services of {} were not restarted: restart those of {} if needed",
                            package.name, *package.before));
    }
  }
  stop_units(host, undo, events);
  end_daemons(host, going_paths(undo), told);
  return told;
}

std::vector<std::string> stopped_units(const Host& host, const Snapshot& undo) {
  if (!has_service_manager(host)) return {};
  std::set<std::string> units;
  for (const std::string& path : going_paths(undo)) {
    if (is_unit(path)) units.insert(unit_pattern(path));
  }
  return {units.begin(), units.end()};
}

void reload_service_manager(const Host& host, EventSink& events) {
  if (!has_service_manager(host)) return;
  const RunResult result =
      host.runner->run(host.command({"systemctl", "daemon-reload"}, manager_timeout_ms));
  if (!result.ok()) events.warning(format("systemctl daemon-reload failed: {}", result.ending()));
}

}  // namespace topsctl

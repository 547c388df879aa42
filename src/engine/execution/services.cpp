// Stops the services of packages that are about to go.
#include "engine/execution/services.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t script_timeout_ms = 300'000;
constexpr const char* dpkg_info = "/var/lib/dpkg/info/";

// Where dpkg keeps a file of an installed package: packages of the kind Multi-Arch: same have their
// architecture in the name.
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

}  // namespace

bool is_service(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  if (parent == "/etc/init.d") return true;
  const bool is_unit_folder = parent == "/lib/systemd/system" ||
                              parent == "/usr/lib/systemd/system" ||
                              parent == "/etc/systemd/system";
  const std::string kind = fs::path(path).extension().string();
  return is_unit_folder && (kind == ".service" || kind == ".socket" || kind == ".timer" ||
                            kind == ".path" || kind == ".mount");
}

std::vector<std::string> stop_services(const Host& host, const Transaction& transaction,
                                       EventSink& events) {
  std::vector<std::string> told;
  for (const PackageChange& package : summary_of(transaction).packages) {
    if (package.kind != PackageKind::deb || !has_services(host, package)) continue;
    const std::string script = info_file(host, package, ".prerm");
    if (script.empty()) continue;
    std::vector<std::string> argv = {script, package.before ? "upgrade" : "remove"};
    if (package.before) argv.push_back(*package.before);
    Command command = host.command(argv, script_timeout_ms);
    command.environment["PATH"] = script_path;
    command.environment.insert({{"DEBIAN_FRONTEND", "noninteractive"},
                                {"DPKG_FRONTEND_LOCKED", "1"},
                                {"DPKG_MAINTSCRIPT_PACKAGE", package.name},
                                {"DPKG_MAINTSCRIPT_NAME", "prerm"}});
    command.on_output = [&](std::string_view piece) { events.output(piece); };
    const RunResult result = host.runner->run(command);
    if (!result.ok()) {
      events.warning(format("the prerm of {} failed: {}", package.name, result.ending()));
      told.push_back(format("services of {}: its prerm failed to stop them", package.name));
    } else if (package.before) {
      told.push_back(format("services of {} were stopped: start those of {} if needed",
                            package.name, *package.before));
    }
  }
  return told;
}

void reload_service_manager(const Host& host, EventSink& events) {
  std::error_code ignored;
  if (host.root != "/" || !fs::is_directory("/run/systemd/system", ignored)) return;
  const RunResult result =
      host.runner->run(host.command({"systemctl", "daemon-reload"}, script_timeout_ms));
  if (!result.ok()) events.warning(format("systemctl daemon-reload failed: {}", result.ending()));
}

}  // namespace topsctl

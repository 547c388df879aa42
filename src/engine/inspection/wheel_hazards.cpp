// Judges the destinations of a wheel's files.
#include "engine/inspection/wheel_hazards.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

constexpr std::array<std::string_view, 84> system_programs = {
    "apt",     "apt-cache", "apt-get",  "apt-key", "aptitude",  "awk",    "base64",  "basename",
    "bash",    "busybox",   "cat",      "chgrp",   "chmod",     "chown",  "chroot",  "cp",
    "crontab", "curl",      "cut",      "dash",    "date",      "depmod", "diff",    "dirname",
    "dmesg",   "docker",    "echo",     "env",     "find",      "gcc",    "getent",  "git",
    "grep",    "gunzip",    "gzip",     "head",    "id",        "insmod", "install", "invoke-rc.d",
    "ip",      "kill",      "ldconfig", "ldd",     "ln",        "login",  "ls",      "lsmod",
    "lspci",   "make",      "mkdir",    "mknod",   "modprobe",  "mount",  "mv",      "passwd",
    "perl",    "ps",        "readlink", "rm",      "rmmod",     "scp",    "sed",     "service",
    "sh",      "ssh",       "su",       "sudo",    "systemctl", "tar",    "tee",     "test",
    "topsctl", "touch",     "true",     "udevadm", "umount",    "uname",  "useradd", "wget",
    "which",   "whoami",    "xargs",    "xz"};

// Families: python3.8, dpkg-deb, update-alternatives.
constexpr std::array<std::string_view, 4> system_families = {"python", "dpkg", "apt-", "update-"};

struct Owned {
  std::string_view module;
  std::string_view distribution;
};

// Modules that install packages, and those that a torch backend builds on.
constexpr std::array<Owned, 7> known_modules = {{{"pip", "pip"},
                                                 {"setuptools", "setuptools"},
                                                 {"pkg_resources", "setuptools"},
                                                 {"_distutils_hack", "setuptools"},
                                                 {"wheel", "wheel"},
                                                 {"numpy", "numpy"},
                                                 {"torch", "torch"}}};

// The path below a site directory, also if .data names one below the prefix; empty for other
// places.
std::string path_in_site(const WheelDestination& destination) {
  if (destination.kind == WheelDestination::Kind::site) return destination.path;
  if (destination.kind != WheelDestination::Kind::data) return {};
  for (const std::string_view folder : {"site-packages/", "dist-packages/"}) {
    const auto at = destination.path.find(folder);
    if (at != std::string::npos) return destination.path.substr(at + folder.size());
  }
  return {};
}

// "bin/x" and "sbin/x" below the prefix; empty: no command.
std::string command_name(const WheelDestination& destination) {
  if (destination.kind == WheelDestination::Kind::script) return destination.path;
  if (destination.kind != WheelDestination::Kind::data) return {};
  for (const std::string_view folder : {"bin/", "sbin/"}) {
    if (destination.path.starts_with(folder)) return destination.path.substr(folder.size());
  }
  return {};
}

class HazardSearch {
 public:
  explicit HazardSearch(const Package& package) : package_(package) {}

  std::vector<Finding> findings() {
    for (const PayloadEntry& entry : *package_.files) {
      const WheelDestination destination = wheel_destination(entry.path);
      const std::string path = path_in_site(destination);
      // pip recognizes the metadata of another distribution even if it is an empty directory.
      if (!path.empty()) judge_distribution(entry.path, path);
      if (entry.type == PayloadEntry::Type::directory) continue;
      if (!path.empty()) judge_start(entry.path, path);
      judge_command(entry.path, command_name(destination));
    }
    for (const std::string& script : package_.scripts) judge_command("", script);
    report("wheel-runs-at-start", start_);
    report("wheel-adds-python-path", paths_);
    report("wheel-second-distribution", distributions_);
    report("wheel-foreign-files", foreign_);
    report("shadows-system-program", programs_);
    return std::move(findings_);
  }

 private:
  void judge_start(const std::string& shown, std::string_view path) {
    const std::string_view module = path.substr(0, path.find_first_of("./"));
    if (module == "sitecustomize" || module == "usercustomize") start_.add(shown, "");
    if (path.find('/') != std::string_view::npos || !path.ends_with(".pth")) return;
    const std::vector<std::string>& code = package_.wheel->code_at_start;
    const bool is_code = std::find(code.begin(), code.end(), shown) != code.end();
    (is_code ? start_ : paths_).add(shown, "");
  }

  void judge_distribution(const std::string& shown, std::string_view path) {
    const std::string top(path.substr(0, path.find('/')));
    const std::string lower = lower_case(top);
    if (lower.ends_with(".dist-info") || lower.ends_with(".egg-info")) {
      if (top != package_.wheel->dist_info && seen_.insert(top).second) {
        distributions_.add(shown, format("the wheel's own is {}", package_.wheel->dist_info));
      }
      return;
    }
    const std::string_view module = path.substr(0, path.find_first_of("./"));
    const auto known = std::find_if(known_modules.begin(), known_modules.end(),
                                    [&](const Owned& owned) { return owned.module == module; });
    if (known == known_modules.end()) return;
    if (normalized_name(package_.name) == known->distribution) return;
    foreign_.add(shown, format("belongs to {}", known->distribution));
  }

  void judge_command(const std::string& shown, const std::string& name) {
    const bool is_pip = name.starts_with("pip") && normalized_name(package_.name) != "pip" &&
                        name.find_first_not_of("0123456789.", 3) == std::string::npos;
    if (!is_pip && !is_system_program(name)) return;
    if (seen_.insert(concat("bin/", name)).second) programs_.add(shown.empty() ? name : shown, "");
  }

  void report(const char* id, const EvidenceList& evidence) {
    if (!evidence.is_empty())
      findings_.push_back(make_finding(id, package_.path, evidence.pieces()));
  }

  const Package& package_;
  EvidenceList start_;
  EvidenceList paths_;
  EvidenceList distributions_;
  EvidenceList foreign_;
  EvidenceList programs_;
  std::set<std::string> seen_;
  std::vector<Finding> findings_;
};

}  // namespace

bool is_system_program(std::string_view name) {
  return std::find(system_programs.begin(), system_programs.end(), name) != system_programs.end() ||
         std::any_of(system_families.begin(), system_families.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

std::vector<Finding> wheel_hazards(const Package& package) {
  if (!package.wheel || !package.files) return {};
  return HazardSearch(package).findings();
}

}  // namespace topsctl

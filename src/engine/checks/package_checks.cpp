// Checks installed packages of dpkg and pip: states, files, and files that shadow them.
#include "engine/checks/package_checks.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/checks/check_outcomes.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/installed_files.hpp"
#include "topsctl/engine/compatibility/wheel_requirements.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/content/stanza.hpp"
#include "topsctl/host/debian/dpkg_owners.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/python/interpreters.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* install_it = "install it with `topsctl install BUNDLE`";
constexpr const char* only_for_root =
    "give it, and the directories above it, to root, writable by root alone";
constexpr const char* repair_it = "restore it with `topsctl repair`";

bool exists(const Host& host, const std::string& path) {
  struct stat status {};
  return ::lstat(host.resolve_parent(path).c_str(), &status) == 0;
}

// Whether some wheel's RECORD lists the path.
bool is_recorded(const Host& host, const std::string& site, const std::string& path) {
  const std::string line = concat("\n", path.substr(site.size() + 1), ",");
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.resolve(site), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    if (!at->path().filename().string().ends_with(".dist-info")) continue;
    const auto record = read_text_if_present(at->path() / "RECORD");
    if (record && concat("\n", *record).find(line) != std::string::npos) return true;
  }
  return false;
}

// The identities of distributions that an install had to leave unchanged, from its plan.
std::optional<std::vector<InstalledIdentity>> noted_identities(const Json& report) {
  const Json::json_pointer steps("/plan/steps");
  if (!report.is_object() || !report.contains(steps) || !report.at(steps).is_array())
    return std::nullopt;
  for (const Json& step : report.at(steps)) {
    if (step.value("action", "") != "compare-wheels") continue;
    std::vector<InstalledIdentity> noted;
    for (const Json& wheel : step.at("parameters").at("before")) {
      noted.push_back({wheel.value("name", ""), wheel.value("version", ""),
                       wheel.value("dist_info", ""), wheel.value("record_sha256", "")});
    }
    return noted;
  }
  return std::nullopt;
}

struct Note {
  Json python;  // the interpreter of that install
  std::vector<InstalledIdentity> wheels;
};

// From the newest install in effect that recorded them; one that only wrote the environment did
// not.
std::optional<Note> newest_note(const Host& host) {
  const Json::json_pointer interpreter("/plan/python");
  std::vector<Transaction> transactions = list_transactions(host);
  for (auto at = transactions.rbegin(); at != transactions.rend(); ++at) {
    if (at->state() != TransactionState::committed) continue;
    for (const Json& report : reports_of(host, *at)) {
      const auto noted = noted_identities(report);
      if (noted && report.contains(interpreter)) return Note{report.at(interpreter), *noted};
    }
  }
  return std::nullopt;
}

// The first unmet requirement of a wheel: wheels are installed without their dependencies.
std::string unmet_by(const CheckedMachine& machine, const InstalledWheel& wheel) {
  const std::string metadata = concat(wheel.site_directory, "/", wheel.dist_info, "/METADATA");
  std::vector<std::string> fields;
  const Stanza stanza =
      parse_stanza(read_text_if_present(machine.host.resolve(metadata)).value_or(""));
  for (const auto& [name, value] : stanza.fields) {
    if (lower_case(name) == "requires-dist") fields.push_back(value);
  }
  const auto required =
      requirements_in(fields, marker_environment(*machine.python, machine.facts.architecture));
  std::vector<std::string> names;
  for (const PythonRequirement& each : required) names.push_back(each.name);
  PythonFacts found;
  found.wheels = read_installed_wheels(machine.host, *machine.python, names);
  found.eggs = read_installed_eggs(machine.host, *machine.python, names);
  for (const PythonRequirement& each : required) {
    const InstalledWheel* installed = installed_distribution(found, each.name);
    const std::string version = installed == nullptr ? "" : installed->version;
    if (!is_met(each, version)) return unmet_requirement(each, version);
  }
  return {};
}

std::string described(const std::vector<InstalledIdentity>& wheels) {
  std::vector<std::string> names;
  for (const InstalledIdentity& wheel : wheels)
    names.push_back(format("{} {} in {}", wheel.name, wheel.version, wheel.dist_info));
  return names.empty() ? "none of them" : joined(names, ", ");
}

}  // namespace

void judge_deb(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  const Component& component = *machine.stack.component(rule.component);
  const std::string wanted = wanted_version(machine.stack, component);
  result.expected = format("{} {}, install ok installed", joined(component.names, " or "), wanted);
  const InstalledDeb* deb = machine.deb_of(rule.component);
  if (deb == nullptr) {
    fail(result, "not installed", install_it);
    return;
  }
  const std::string observed = concat(deb->name, " ", deb->version, ", ", to_text(deb->status));
  const bool right = has_version(machine.stack, component, deb->version);
  if (is_installed(deb->status) && right) {
    pass(result, observed);
  } else {
    fail(result, observed, format("install version {} with `topsctl install BUNDLE`", wanted));
  }
}

void judge_deb_files(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  result.expected = "every file of the package matches its md5sums";
  const InstalledDeb* deb = machine.deb_of(rule.component);
  if (deb == nullptr || !is_installed(deb->status))
    return skip(result, "its package is not installed");
  const DebFiles files = compare_deb_files(machine.host, *deb, machine.options.digests);
  for (const auto* faults : {&files.differences, &files.unread}) {
    if (faults->empty()) continue;
    const std::size_t others = faults->size() - 1;
    return fail(
        result,
        concat(faults->front(), others > 0 ? format(" (and {} more)", others) : std::string()),
        faults == &files.differences ? repair_it : "run topsctl as root");
  }
  if (files.compared == 0) {
    return leave_unknown(result, format("{} has no md5sums", deb->name),
                         "topsctl cannot tell whether its files were changed");
  }
  if (!files.open.empty()) {
    result.is_doubtful = true;
    const std::size_t others = files.open.size() - 1;
    return warn(result,
                format("users other than root can change {}",
                       concat(files.open.front(),
                              others > 0 ? format(" (and {} more)", others) : std::string())),
                only_for_root);
  }
  if (!files.changed_conffiles.empty()) {
    return warn(result, format("configuration files: {}", joined(files.changed_conffiles, ", ")),
                format("an install leaves them unchanged; see `dpkg --verify {}`", deb->name));
  }
  pass(result, format("{} of {} as recorded", counted(files.compared, "file"), deb->name));
}

void judge_wheel(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  const Component& component = *machine.stack.component(rule.component);
  const std::string& name = component.names.front();
  result.expected =
      format("{} {} complete according to RECORD", name, wanted_version(machine.stack, component));
  if (machine.python == nullptr && !machine.facts.distrusted_pythons.empty()) {
    return fail(result,
                format("{} is writable by users other than root and was not run",
                       machine.facts.distrusted_pythons.front()),
                "make it writable by root alone, or name it with --python");
  }
  if (machine.python == nullptr) return fail(result, "no Python interpreter", install_it);
  const InstalledWheel* wheel = machine.python->wheel(name);
  if (wheel != nullptr && has_version(machine.stack, component, wheel->version)) {
    judge_installed_wheel(machine.host, *wheel, result, machine.options.digests);
    if (result.status != CheckStatus::pass) return;
    const std::string open = can_others_change(machine.host, machine.python->executable)
                                 ? std::string()
                                 : open_file_of(machine.host, *wheel);
    if (!open.empty()) {
      return fail(result, format("users other than root can change {}", in_quotes(open)),
                  only_for_root);
    }
    const std::string unmet = unmet_by(machine, *wheel);
    if (unmet.empty()) return;
    return warn(result, format("{} {}: {}", wheel->name, wheel->version, unmet),
                format("install what it requires, or another build of it; see `{} -m pip check`",
                       machine.python->executable));
  }
  if (wheel != nullptr) {
    return fail(result, concat(wheel->name, " ", wheel->version),
                "install the stack's version with `topsctl install BUNDLE`");
  }
  std::vector<std::string> others;
  for (const std::string& executable : machine.stack.python.executables) {
    if (executable == machine.python->executable || !open_part_of(machine.host, executable).empty())
      continue;
    const auto python = read_python(machine.host, executable, {name});
    if (python && python->wheel(name) != nullptr) others.push_back(executable);
  }
  const std::string observed = format("not installed for {}", machine.python->executable);
  if (others.empty()) return fail(result, observed, install_it);
  fail(result, format("{}, only for {}", observed, joined(others, ", ")),
       format("use {}, or install for this one with `topsctl install BUNDLE --python {}`",
              others.front(), machine.python->executable));
}

void judge_environment(const CheckedMachine& machine, CheckResult& result) {
  const std::string& file = machine.environment.file;
  result.expected = format("{} as the installed packages require", file);
  const auto found = machine.facts.files.find(file);
  if (found == machine.facts.files.end()) {
    const bool installed = std::ranges::any_of(
        machine.stack.components,
        [&](const Component& component) { return machine.deb_of(component.id) != nullptr; });
    fail(result, format("{} is missing", file),
         installed ? repair_it : "`topsctl install BUNDLE` installs the stack and writes it");
  } else if (can_others_change(machine.host, file)) {
    result.is_doubtful = true;
    warn(result, format("users other than root can change {}", in_quotes(file)), only_for_root);
  } else if (found->second == shell_file(machine.environment)) {
    pass(result, format("{} is correct", file));
  } else {
    result.is_doubtful = true;
    warn(result, format("{} differs from what the installed packages require", file),
         "compare it with the output of `topsctl env`");
  }
}

void judge_impostors(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result) {
  constexpr std::string_view site_mark = "{site}";
  result.expected = "no hand-made file in place of a vendor file";
  std::vector<std::string> sites =
      machine.python == nullptr ? std::vector<std::string>() : machine.python->site_directories;
  std::vector<std::string> found;
  for (const std::string& file : rule.files) {
    if (!file.starts_with(site_mark)) {
      if (exists(machine.host, file)) found.push_back(file);
      continue;
    }
    for (const std::string& site : sites) {
      const std::string path = concat(site, file.substr(site_mark.size()));
      if (exists(machine.host, path) && !is_recorded(machine.host, site, path))
        found.push_back(path);
    }
  }
  if (!found.empty()) {
    const auto owners = read_owners(machine.host, read_packages(machine.host));
    std::erase_if(found, [&](const std::string& path) { return owners.contains(path); });
  }
  if (found.empty()) return pass(result, "no known hand-made file");
  fail(result,
       format("{}{} to no package: made by hand", joined(found, ", "),
              found.size() == 1 ? " belongs" : " belong"),
       format("remove {}: it makes checks and programs see what is not installed",
              joined(found, " ")));
}

void judge_unchanged(const CheckedMachine& machine, CheckResult& result) {
  const std::vector<std::string>& names = machine.stack.python.unchanged;
  result.expected = format("{} unchanged since installation", joined(names, ", "));
  if (machine.python == nullptr || names.empty()) return skip(result, "nothing to compare");
  std::optional<Note> noted;
  try {
    noted = newest_note(machine.host);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    return skip(result, "only root may read the install record");
  }
  if (!noted) return skip(result, "not recorded by any install of topsctl");
  if (noted->python != machine.python->executable)
    return skip(result, "the install was for another interpreter");
  const std::vector<InstalledIdentity> now = identities_of(*machine.python, names);
  if (now == noted->wheels) return pass(result, described(now));
  fail(
      result, format("now {}; at installation {}", described(now), described(noted->wheels)),
      format("reinstall the earlier {}: the vendor's module is built for it", joined(names, ", ")));
}

void judge_installed_wheel(const Host& host, const InstalledWheel& wheel, CheckResult& result,
                           DigestCache* digests) {
  const bool signed_off =
      std::any_of(wheel.files.begin(), wheel.files.end(),
                  [](const std::string& file) { return file.ends_with(".dist-info/INSTALLER"); });
  if (!signed_off) {
    fail(result,
         format("{} {} is only partly installed: its RECORD does not list INSTALLER", wheel.name,
                wheel.version),
         repair_it);
    return;
  }
  const std::string difference = wheel_difference(host, wheel, digests);
  if (!difference.empty()) {
    fail(result, difference, repair_it);
    return;
  }
  pass(result, format("{} {} in {}, every file as recorded", wheel.name, wheel.version,
                      wheel.site_directory));
}

}  // namespace topsctl

// Builds the plan of an install.
#include "topsctl/engine/planning/planner.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "engine/planning/unpacking.hpp"
#include "engine/planning/write_set.hpp"
#include "engine/planning/write_set_choice.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/python_version.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/planning/host_objections.hpp"
#include "topsctl/engine/planning/stack_payload.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/host/python/wheel_layout.hpp"
#include "topsctl/host/python/wheel_record.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t package_timeout_s = 3600;
constexpr std::int64_t loader_cache_timeout_s = 600;

// The lines of md5sums without configuration files, which only some lists have.
std::vector<std::string> sorted_digests(const std::string& md5sums, const DebFacts& deb) {
  std::set<std::string> conffiles;
  for (const std::string& path : deb.conffiles) conffiles.insert(concat("  ", path.substr(1)));
  constexpr std::size_t digits = 32;
  std::vector<std::string> lines;
  for (std::string& line : split(md5sums, '\n')) {
    const bool is_conffile = line.size() > digits && conffiles.contains(line.substr(digits));
    if (!trimmed(line).empty() && !is_conffile) lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

PackageAction deb_action(const Package& package, const HostFacts& facts, PlannedPackage& planned) {
  const auto found = facts.debs.find(package.name);
  if (found == facts.debs.end() || found->second.status.state != DpkgState::installed) {
    return PackageAction::install;
  }
  const InstalledDeb& installed = found->second;
  planned.before = installed.version;
  const int order = compare_debian_versions(package.version, installed.version);
  if (order != 0) return order > 0 ? PackageAction::upgrade : PackageAction::downgrade;
  // Reinstalling a package that is selected for removal makes it `install ok installed`.
  const std::string& wanted = package.md5sums.empty() ? package.payload_md5sums : package.md5sums;
  const DebFacts deb = package.deb.value_or(DebFacts{});
  const bool same_content = is_installed(installed.status) &&
                            (!wanted.empty() || (package.files && installed.md5sums.empty())) &&
                            sorted_digests(wanted, deb) == sorted_digests(installed.md5sums, deb);
  return same_content ? PackageAction::keep : PackageAction::reinstall;
}

PackageAction wheel_action(const Package& package, const PythonFacts& python,
                           PlannedPackage& planned) {
  const InstalledWheel* installed = python.wheel(package.name);
  if (installed == nullptr) return PackageAction::install;
  planned.before = installed->version;
  // The same order as for refusing a downgrade.
  const int order = compare_python_versions(package.version, installed->version);
  if (order != 0) return order > 0 ? PackageAction::upgrade : PackageAction::downgrade;
  const std::string hash_of_record = ".dist-info/RECORD";
  const auto digest_of = [](const RecordLine& line) {
    return concat(line.algorithm, "=", line.digest);
  };
  std::set<std::pair<std::string, std::string>> recorded;
  for (const RecordLine& line : parse_record(installed->record, installed->dist_info)) {
    recorded.emplace(line.path, digest_of(line));
  }
  // pip adds its own lines; every file of the wheel must be listed unchanged.
  const std::vector<RecordLine> wanted = parse_record(package.record, package.path);
  const bool same_content = std::all_of(wanted.begin(), wanted.end(), [&](const RecordLine& line) {
    return line.path.ends_with(hash_of_record) ||
           (package.wheel && is_of_installer(line.path, package.wheel->dist_info)) ||
           recorded.contains({line.path, digest_of(line)});
  });
  return same_content && !wanted.empty() ? PackageAction::keep : PackageAction::reinstall;
}

PackageAction planned_action(const Package& package, const Selection& selection,
                             const HostFacts& facts, PlannedPackage& planned) {
  const PackageAction action = package.kind == PackageKind::deb
                                   ? deb_action(package, facts, planned)
                                   : wheel_action(package, *selection.python, planned);
  return action == PackageAction::keep && selection.again.contains(package.component)
             ? PackageAction::reinstall
             : action;
}

enum class Broken { refuse, deconfigure };  // packages that one to be unpacked breaks

std::vector<std::string> dpkg_argv(const std::vector<PlannedPackage>& debs, Broken broken) {
  // One syncfs before the commit makes it durable; local edits of conffiles are kept.
  std::vector<std::string> argv = {"dpkg", "--force-unsafe-io", "--force-confdef",
                                   "--force-confold"};
  // dpkg's default, which a configuration file of the host may have turned off.
  const bool goes_back = std::any_of(debs.begin(), debs.end(), [](const PlannedPackage& deb) {
    return deb.action == PackageAction::downgrade;
  });
  if (goes_back) argv.emplace_back("--force-downgrade");
  if (broken == Broken::deconfigure) argv.emplace_back("--auto-deconfigure");
  argv.emplace_back("--install");
  for (const PlannedPackage& deb : debs) argv.push_back(concat(stage_placeholder, "/", deb.file));
  return argv;
}

// Checks of what an install can add or damage. `topsctl verify` does the rest: files that dpkg has
// just written need not be read again.
bool is_of_install(CheckKind kind) {
  return kind == CheckKind::deb_installed || kind == CheckKind::library ||
         kind == CheckKind::wheel_installed || kind == CheckKind::environment_file ||
         kind == CheckKind::library_call || kind == CheckKind::python_import;
}

bool brings_a_wheel(const Plan& plan) {
  return std::any_of(plan.packages.begin(), plan.packages.end(), [](const PlannedPackage& package) {
    return package.kind == PackageKind::wheel;
  });
}

// The checks of the whole stack and of the components that are installed now; if all cards are
// visible, also trials of the backend.
std::vector<CheckRule> checks_for(const Stack& stack, const Plan& plan, std::int64_t card_nodes) {
  std::vector<CheckRule> checks;
  for (const CheckRule& check : stack.checks) {
    const bool concerned = std::any_of(
        plan.packages.begin(), plan.packages.end(),
        [&](const PlannedPackage& package) { return package.component == check.component; });
    if (is_of_install(check.kind) && (check.component.empty() || concerned))
      checks.push_back(check);
  }
  if (card_nodes > 0 && card_nodes == stack.accelerator.cards && brings_a_wheel(plan)) {
    std::copy_if(stack.checks.begin(), stack.checks.end(), std::back_inserter(checks),
                 needs_device);
  }
  // An installed wheel is always checked, even if the stack has no such check.
  for (const PlannedPackage& package : plan.packages) {
    if (package.kind != PackageKind::wheel) continue;
    const bool is_checked = std::any_of(checks.begin(), checks.end(), [&](const CheckRule& check) {
      return check.kind == CheckKind::wheel_installed && check.component == package.component;
    });
    if (is_checked) continue;
    CheckRule check;
    check.id = concat("installed-", package.component);
    check.kind = CheckKind::wheel_installed;
    check.component = package.component;
    checks.push_back(std::move(check));
  }
  return checks;
}

std::string file_list(const std::vector<PlannedPackage>& packages) {
  std::vector<std::string> names;
  for (const PlannedPackage& package : packages) names.push_back(package.file);
  return joined(names, " ");
}

// The debs of each call of dpkg that are not installed already; every planned package has the index
// of its selection. dpkg unpacks all debs of a call before it configures the first, so a deb that
// needs another one configured before it is unpacked (Pre-Depends) comes in a later call. No calls:
// all at once.
std::vector<std::vector<PlannedPackage>> changing_debs(
    const Plan& plan, const std::vector<std::vector<std::size_t>>& calls) {
  std::vector<std::vector<std::size_t>> all = calls;
  if (all.empty()) {
    all.emplace_back(plan.packages.size());
    std::iota(all.front().begin(), all.front().end(), std::size_t{0});
  }
  std::vector<std::vector<PlannedPackage>> changing;
  for (const std::vector<std::size_t>& call : all) {
    std::vector<PlannedPackage> debs;
    for (const std::size_t index : call) {
      const PlannedPackage& package = plan.packages.at(index);
      if (package.kind == PackageKind::deb && package.action != PackageAction::keep) {
        debs.push_back(package);
      }
    }
    if (!debs.empty()) changing.push_back(std::move(debs));
  }
  return changing;
}

void add_deb_steps(const std::vector<std::vector<PlannedPackage>>& calls, Broken broken,
                   Plan& plan) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    plan.steps.push_back({i == 0 ? std::string("debs") : concat("debs-", i + 1),
                          format("dpkg --install {}", file_list(calls[i])),
                          RunCommand{"dpkg", dpkg_argv(calls[i], broken), package_timeout_s},
                          sentences_on(plan.lasting_effects)});
  }
}

void add_wheel_steps(const PlanInput& input, const std::vector<PlannedPackage>& wheels,
                     Plan& plan) {
  if (wheels.empty()) return;
  const PythonFacts& python = *input.selection.python;
  for (const PlannedPackage& wheel : wheels) {
    plan.steps.push_back({concat("wheel-", wheel.component),
                          format("install {} for {}", wheel.file, python.executable),
                          InstallWheel{wheel.name, wheel.file, python.scheme, python.cache_tag},
                          {}});
  }
  const std::vector<std::string>& unchanged = input.stack.python.unchanged;
  if (unchanged.empty()) return;
  plan.steps.push_back({"unchanged",
                        unchanged.size() == 1
                            ? format("check that {} is unchanged", unchanged.front())
                            : format("check that {} are unchanged", joined(unchanged, ", ")),
                        comparison_of(input.stack, python),
                        {}});
}

void add_steps(const PlanInput& input, Plan& plan) {
  const std::vector<std::vector<PlannedPackage>> debs =
      changing_debs(plan, input.preflight.fit.install_calls);
  std::vector<PlannedPackage> wheels;
  for (const PlannedPackage& package : plan.packages) {
    if (package.kind == PackageKind::wheel && package.action != PackageAction::keep) {
      wheels.push_back(package);
    }
  }
  const std::string content = shell_file(*plan.environment);
  const auto current = input.facts.files.find(plan.environment->file);
  const bool same_environment = current != input.facts.files.end() && current->second == content;
  if (debs.empty() && wheels.empty() && same_environment) return;

  std::vector<Step>& steps = plan.steps;
  if (!debs.empty() || !wheels.empty()) {
    steps.push_back(
        {"stage", "copy the packages to the host and verify their digests", StagePackages{}, {}});
  }
  steps.push_back({"keep", "back up affected files", KeepWriteSet{}, {}});
  const bool breaks = breaks_what_is_replaced(input.selection, plan);
  add_deb_steps(debs, breaks ? Broken::deconfigure : Broken::refuse, plan);
  add_wheel_steps(input, wheels, plan);
  if (!same_environment) {
    steps.push_back({"environment",
                     format("write {}", plan.environment->file),
                     WriteFile{plan.environment->file, content, 0644},
                     {}});
  }
  if (!debs.empty()) {
    steps.push_back({"loader-cache",
                     "ldconfig",
                     RunCommand{"ldconfig", {"ldconfig"}, loader_cache_timeout_s},
                     {}});
  }
  const std::vector<CheckRule> checks = checks_for(input.stack, plan, input.facts.card_nodes);
  steps.push_back({"checks",
                   format("run {}", counted(checks.size(), "check")),
                   RunChecks{checks, input.preflight.loaded},
                   {}});
  steps.push_back({"commit", "sync the disks and commit", Commit{}, {}});
}

// Findings that do not stop the install, or that are accepted.
void add_findings(const CompatibilityReport& fit, Plan& plan) {
  for (const Finding& finding : fit.findings) {
    const bool is_reported = finding.id == downgrade_finding || finding.id == "needs-several-calls";
    if (finding.severity >= Severity::warning && !is_reported)
      plan.warnings.push_back(line_of(finding));
  }
}

void add_warnings(const Stack& stack, const Selection& selection, const HostFacts& facts,
                  Plan& plan) {
  for (const PlannedPackage& package : plan.packages) {
    if (package.action == PackageAction::downgrade) {
      plan.warnings.push_back(format("{} is downgraded from {} to {}", package.name,
                                     package.before.value_or(""), package.after));
    }
  }
  for (const PlannedPackage& package : plan.packages) {
    const auto again = selection.again.find(package.component);
    if (package.action == PackageAction::reinstall && again != selection.again.end() &&
        !again->second.empty())
      plan.warnings.push_back(format("{} is installed again: {}", package.name, again->second));
  }
  if (selection.python != nullptr) {
    const std::vector<std::string>& tested = stack.python.tested_minors;
    if (std::find(tested.begin(), tested.end(), selection.python->minor) == tested.end()) {
      plan.warnings.push_back(format("Python {} is not among the vendor's tested versions ({})",
                                     selection.python->minor, joined(tested, ", ")));
    }
  }
  for (const std::string& executable : facts.distrusted_pythons) {
    plan.warnings.push_back(
        format("{} is writable by users other than root and was not run; use --python to run it",
               executable));
  }
  for (const std::string& name : plan.environment->left_out) {
    plan.warnings.push_back(
        format("no value for {}: no package contains the file it is taken from", name));
  }
}

// For the packages that are not installed already, with the directories that only the stack uses.
WriteSet write_set_of(const PlanInput& input, const Plan& plan) {
  Selection changing{{}, input.selection.python};
  for (std::size_t i = 0; i < plan.packages.size(); ++i) {
    if (plan.packages[i].action != PackageAction::keep)
      changing.packages.push_back(input.selection.packages[i]);
  }
  WriteSet set = predicted_write_set(plan, changing, input.facts);
  for (const std::string& directory : input.preflight.own_folders)
    set.families.push_back({directory, "", Writing::in_place, true});
  return set;
}

}  // namespace

PlannedPackage planned_package(const Package& package, const Selection& selection,
                               const HostFacts& facts) {
  PlannedPackage planned;
  planned.component = package.component;
  planned.kind = package.kind;
  planned.name = package.name;
  planned.after = package.version;
  planned.architecture = package.architecture;
  planned.location = package.location;
  planned.file = std::filesystem::path(package.path).filename().string();
  planned.sha256 = package.sha256;
  planned.size = package.size;
  planned.action = planned_action(package, selection, facts, planned);
  return planned;
}

Plan plan_install(const PlanInput& input) {
  const auto& [stack, selection, facts, preflight, options, host_warnings] = input;
  require_plannable(selection, facts, options);
  require_untouched(stack, selection);
  Plan plan;
  plan.command = "install";
  plan.stack = stack.name;
  plan.release = stack.release;
  if (selection.python != nullptr) {
    plan.python = selection.python->executable;
    plan.python_version = selection.python->version;
  }
  for (const Package& package : selection.packages) {
    plan.packages.push_back(planned_package(package, selection, facts));
  }
  const KeptSettings kept = kept_settings(stack, facts);
  if (!kept.warning.empty()) plan.warnings.push_back(kept.warning);
  plan.environment = derive_environment(
      stack, stack_payload(selection.packages, facts.debs),
      changed_settings(kept.settings, options.settings, stack.profile_names(), plan.warnings));
  const ScriptEffects effects = effects_of_debs(input, plan);
  plan.lasting_effects = {effects.services, effects.kernel_modules};
  add_steps(input, plan);
  plan.write_set = write_set_of(input, plan);
  for (const SpaceNeed& need : preflight.fit.space) plan.needed_bytes += need.needed_bytes;
  plan.knowledge = knowledge_of(input.options, plan);
  if (plan.knowledge.known == "observed" && is_unpacking_predicted(input, plan))
    unpack_unobserved(plan);
  if (!is_tested(stack)) plan.warnings.push_back(untested_release(stack));
  if (stack.open_decisions() > 0)
    plan.warnings.push_back(format("the stack {} is a draft with {} to decide", stack.name,
                                   counted(stack.open_decisions(), "line")));
  add_warnings(stack, selection, input.facts, plan);
  add_findings(preflight.fit, plan);
  plan.warnings.insert(plan.warnings.end(), host_warnings.begin(), host_warnings.end());
  return plan;
}

}  // namespace topsctl

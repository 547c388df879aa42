// Reads bundle and host, makes a plan, and passes it to the executor.
#include "topsctl/engine/operations/installer.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "topsctl/base/python_requirement.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/installed_files.hpp"
#include "topsctl/engine/execution/begun_details.hpp"
#include "topsctl/engine/execution/phase_timer.hpp"
#include "topsctl/engine/execution/stage.hpp"
#include "topsctl/engine/execution/wheel_installation.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/inspection/locked_packages.hpp"
#include "topsctl/engine/inspection/missing_folders.hpp"
#include "topsctl/engine/inspection/tree_packages.hpp"
#include "topsctl/engine/observation/observer.hpp"
#include "topsctl/engine/operations/confirmation.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/retention.hpp"
#include "topsctl/engine/planning/host_objections.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/engine/planning/wheel_clashes.hpp"
#include "topsctl/engine/transaction/lock_replay.hpp"
#include "topsctl/engine/transaction/reserved_room.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/host/facts/target_facts.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

std::vector<std::string> displaced_by(const Inventory& inventory) {
  std::vector<std::string> displaced;
  for (const Package& package : inventory.packages) {
    displaced.insert(displaced.end(), package.displaces.begin(), package.displaces.end());
  }
  return displaced;
}

// The names that wheels require; their markers decide whether they apply here.
std::vector<std::string> required_by(const Inventory& inventory) {
  std::vector<std::string> names;
  for (const Package& package : inventory.packages) {
    if (package.kind != PackageKind::wheel) continue;
    for (const std::string& field : package.depends) {
      if (const auto requirement = parse_python_requirement(field))
        names.push_back(requirement->name);
    }
  }
  return names;
}

// Checks whether the host can apply the plan. Conflicts with a wheel's files can be checked only if
// the wheel is present.
enum class WheelSource { local, remote };
void check_applicable(const Host& host, const Plan& plan, WheelSource wheels) {
  if (wheels == WheelSource::local) require_wheels_installable(host, plan);
  require_changeable(host, plan.write_set);
}

struct ReadInventory {
  std::unique_ptr<BundleFiles> files;  // owns the package files
  Inventory inventory;
  std::vector<std::string> warnings;
};

ReadInventory inventory_of(const InstallRequest& request, EventFan& events) {
  ReadInventory read;
  if (request.reading) {
    read.inventory.packages = request.reading->packages;
    return read;
  }
  const SandboxWish wish{request.sandboxing,
                         [&](const std::string& warning) { read.warnings.push_back(warning); }};
  read.files = std::make_unique<BundleFiles>(request.bundle, stacks_meant(request.stack), wish);
  // The digest of a selected package is computed when its payload is read.
  read.inventory = read_inventory_confined(read.files->found(), wish, [&](const std::string& file) {
    events.working(format("reading {}", file));
  });
  return read;
}

void require_observable(const Host& host) {
  const std::string why_not = why_not_observable(host);
  if (why_not.empty()) return;
  throw Error(ErrorCode::host_unfit, format("cannot observe programs: {}", why_not),
              "nothing was changed; install with --write-set predicted");
}

// The debs, whose selection does not depend on the host; that of wheels depends on its Python.
std::vector<Package> selected_debs(const InstallRequest& request, const Stack& stack,
                                   Inventory inventory) {
  const std::vector<std::string> components = selected_components(stack, request.components);
  identify(stack, inventory);
  std::vector<Package> debs;
  for (const Package& package : inventory.packages) {
    const bool is_meant =
        std::find(components.begin(), components.end(), package.component) != components.end();
    if (package.kind == PackageKind::deb && package.chosen && is_meant) debs.push_back(package);
  }
  return debs;
}

// Checks the installed files of packages that are installed in the same version as in the bundle.
std::string damage_of(const Host& host, const Package& package, const Selection& selection,
                      const HostFacts& facts) {
  if (package.kind == PackageKind::deb) {
    const auto installed = facts.debs.find(package.name);
    if (installed == facts.debs.end() || installed->second.version != package.version) return {};
    const DebFiles files = compare_deb_files(host, installed->second);
    return files.differences.empty() ? std::string() : files.differences.front();
  }
  const InstalledWheel* installed = selection.python->wheel(package.name);
  return installed != nullptr && installed->version == package.version
             ? wheel_difference(host, *installed)
             : std::string();
}

void choose_again(const Host& host, Again again, const HostFacts& facts, Selection& selection) {
  for (const Package& package : selection.packages) {
    std::string damage;
    if (again == Again::damaged) {
      damage = damage_of(host, package, selection, facts);
      if (damage.empty()) continue;
    }
    selection.again.emplace(package.component, std::move(damage));
  }
}

// dpkg keeps the administrator's changes to them (see planner).
std::vector<std::string> warnings_on_conffiles(const Host& host, const Selection& selection,
                                               const HostFacts& facts) {
  std::vector<std::string> warnings;
  for (const Package& package : selection.packages) {
    const auto installed = facts.debs.find(package.name);
    if (package.kind != PackageKind::deb || installed == facts.debs.end() ||
        planned_package(package, selection, facts).action == PackageAction::keep)
      continue;
    for (const std::string& change : changed_conffiles(host, installed->second)) {
      warnings.push_back(
          format("{}: configuration file {} and stays so; where the package has a new one, it is "
                 "placed beside it as .dpkg-dist",
                 package.name, change));
    }
  }
  return warnings;
}

// dpkg runs scripts from its own directory.
void require_runnable_scripts(const Host& host, const Selection& selection) {
  struct statvfs status {};
  const bool has_scripts = std::any_of(
      selection.packages.begin(), selection.packages.end(),
      [](const Package& package) { return package.deb && !package.deb->scripts.empty(); });
  if (!has_scripts || ::statvfs(host.resolve(dpkg_directory).c_str(), &status) != 0 ||
      (status.f_flag & ST_NOEXEC) == 0)
    return;
  throw Error(ErrorCode::host_unfit,
              format("{} is on a file system that is mounted noexec: dpkg cannot run the packages' "
                     "scripts",
                     dpkg_directory),
              "nothing was changed; mount it without noexec: `mount -o remount,exec MOUNT`");
}

// A repair is limited to packages that transactions installed, if there are any.
void leave_out_newcomers(const Host& host, const HostFacts& facts, Selection& selection) {
  std::set<std::string> brought;
  for (const Transaction& transaction : list_transactions(host)) {
    if (transaction.state() != TransactionState::committed) continue;
    for (const PackageChange& change : summary_of(transaction).packages)
      brought.insert(change.name);
  }
  if (brought.empty()) return;
  std::erase_if(selection.packages, [&](const Package& package) {
    return !brought.contains(package.name) &&
           planned_package(package, selection, facts).action == PackageAction::install;
  });
}

void require_same_versions(const Selection& selection, const HostFacts& facts) {
  for (const Package& each : selection.packages) {
    const PlannedPackage package = planned_package(each, selection, facts);
    if (package.action != PackageAction::upgrade && package.action != PackageAction::downgrade)
      continue;
    throw Error(ErrorCode::bad_bundle,
                format("{} is installed in version {}, and the bundle has {}: a repair changes no "
                       "versions",
                       package.name, *package.before, package.after),
                "give the bundle that was installed, or use `topsctl install BUNDLE`");
  }
}

// There may be damage that the plan does not fix: a changed distribution that must stay unchanged,
// or a hand-made file. Digests of files were compared already.
void require_sound(const Host& host, const Stack& stack, const Plan& plan) {
  std::vector<CheckRule> rules;
  for (const CheckRule& rule : stack.checks) {
    const bool is_concerned =
        rule.component.empty() ||
        std::any_of(plan.packages.begin(), plan.packages.end(),
                    [&](const PlannedPackage& each) { return each.component == rule.component; });
    const bool is_digests =
        rule.kind == CheckKind::deb_files || rule.kind == CheckKind::wheel_installed;
    const bool is_of_files =
        rule.level == CheckLevel::files || rule.kind == CheckKind::wheels_unchanged;
    if (is_of_files && is_concerned && !is_digests) rules.push_back(rule);
  }
  const VerifyOptions options;
  const Verification found = run_checks(host, stack, rules, plan.python, options);
  const auto problems = found.problems();
  if (problems.empty()) return;
  throw Error(ErrorCode::host_unfit,
              format("everything is already installed, but check {} fails: {}",
                     in_quotes(problems.front()->id), problems.front()->observed),
              problems.front()->hint);
}

// For an install that changes debs; other plans need little space.
std::uint64_t bytes_for_undo(const Host& host, const Selection& selection, const HostFacts& facts) {
  std::vector<std::string> replaced;
  bool is_changing = false;
  for (const Package& package : selection.packages) {
    if (package.kind != PackageKind::deb ||
        planned_package(package, selection, facts).action == PackageAction::keep)
      continue;
    is_changing = true;
    const auto before = facts.debs.find(package.name);
    if (before == facts.debs.end()) continue;
    replaced.insert(replaced.end(), before->second.files.begin(), before->second.files.end());
  }
  return is_changing ? expected_room(host, replaced) : 0;
}

bool is_stopped(const Error& error) {
  return error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated;
}

// Collects the facts of bundle and host, with a single read of dpkg's database, and makes the plan.
// Sets `taken` to the selected packages as soon as they are known, and fills in their digests.
Plan plan_of(const Host& host, const InstallRequest& request, const Stack& stack,
             const ReadInventory& bundle, Stage* stage, std::vector<Package>& taken) {
  const Inventory& inventory = bundle.inventory;
  if (!request.allow_older_lock) refuse_older_lock(host, stack.name, request.requester.inputs);
  DpkgDatabase database = read_dpkg_database(host);
  const HostFacts facts = read_host_facts(host, database, stack, request.python,
                                          displaced_by(inventory), required_by(inventory));
  Selection selection =
      select_packages(stack, inventory, facts, selected_components(stack, request.components));
  choose_again(host, request.again, facts, selection);
  if (request.purpose == InstallPurpose::repair) {
    leave_out_newcomers(host, facts, selection);
    require_same_versions(selection, facts);
  }
  std::vector<Package>& packages = selection.packages;
  taken = packages;
  PlanOptions options{request.system_python, request.settings, request.mode, request.write_set};
  // A dry run may lack the rights for both.
  if (request.mode == InstallMode::apply || is_root_user())
    options.why_not_observable = [&host] { return why_not_observable(host); };
  // A more specific error than the package comparison would give.
  require_plannable(selection, facts, options);
  const auto is_changing = [&](const Package& deb) {
    return planned_package(deb, selection, facts).action != PackageAction::keep;
  };
  ReadPayloads payloads = request.reading ? payloads_in(*request.reading, packages)
                          : stage == nullptr
                              ? read_payloads(packages, request.sandboxing)
                              : stage->read_payloads(packages, request.sandboxing, is_changing);
  for (std::size_t i = 0; i < packages.size(); ++i) taken[i].sha256 = packages[i].sha256;
  if (request.lock) require_locked(*request.lock, taken);
  if (request.recorded) require_recorded(*request.recorded, taken, is_changing);
  settle_missing_folders(payloads.findings, packages, [&](const std::string& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(host.resolve(folder), ignored);
  });
  // More specific than the finding on a foreign file, and cannot be accepted.
  require_untouched(stack, selection);
  TargetSnapshot target = read_target_system(host, std::move(database));
  std::vector<Finding> clashes = wheel_clashes(host, selection, target.owners);
  const Preflight found = preflight(std::move(target), stack, selection,
                                    std::move(payloads.contents), std::move(payloads.findings),
                                    request.accepted, stage == nullptr ? 0 : stage->staged_bytes(),
                                    std::move(clashes), bytes_for_undo(host, selection, facts));
  std::vector<std::string> warnings = odd_host_warnings(host);
  for (std::string& warning : warnings_on_conffiles(host, selection, facts))
    warnings.push_back(std::move(warning));
  warnings.insert(warnings.end(), bundle.warnings.begin(), bundle.warnings.end());
  Plan plan = plan_install({stack, selection, facts, found, options, std::move(warnings)});
  plan.command = name_of(request.purpose);
  if (plan.steps.empty() && !request.reading) require_sound(host, stack, plan);
  if (plan.steps.empty())
    require_closed(host, found.loaded, ErrorCode::host_unfit, plan.warnings);
  else
    require_runnable_scripts(host, selection);
  check_applicable(host, plan, request.reading ? WheelSource::remote : WheelSource::local);
  return plan;
}

Plan make_plan(const Host& host, const InstallRequest& request, const Stack& stack,
               const ReadInventory& bundle, Stage* stage, std::vector<Package> taken) {
  try {
    return plan_of(host, request, stack, bundle, stage, taken);
  } catch (const Error& error) {
    // A package that differs from the lock is the more important error.
    if (request.lock && !is_stopped(error)) require_locked_files(*request.lock, std::move(taken));
    throw;
  }
}

Execution planned(const Host& host, const InstallRequest& request, const Plan& plan) {
  Execution execution;
  execution.report = begun_report(host, plan, request.requester);
  execution.report.root = host.root.string();
  execution.report.outcome = plan.steps.empty() ? Outcome::no_change : Outcome::planned;
  if (!plan.steps.empty()) {
    execution.report.write_set.known = plan.knowledge.known;
    execution.report.write_set.reason = plan.knowledge.reason;
  }
  const char* nothing = request.purpose == InstallPurpose::repair
                            ? "nothing to repair: every file is as it was installed"
                            : "everything is already installed";
  execution.report.message = plan.steps.empty() ? nothing : "nothing was changed: this is the plan";
  execution.warnings = plan.warnings;
  return execution;
}

}  // namespace

Execution install(const Host& host, const InstallRequest& wanted, EventFan& events) {
  InstallRequest request = wanted;
  request.requester.started_at = timestamp(host.clock->now());
  const bool only_looks = request.mode == InstallMode::plan;
  require_usable_host(host, only_looks ? Purpose::look : Purpose::change);
  if (only_looks) refuse_plan_of_unfinished(host);
  PhaseTimer phases(*host.clock);
  phases.enter("read");
  const ReadInventory bundle = inventory_of(request, events);
  const Inventory& inventory = bundle.inventory;
  const ChosenStack chosen = chosen_stack(request.stack, inventory);
  const Stack& stack = chosen.stack;
  if (chosen.file) request.requester.inputs.push_back(*chosen.file);
  request.requester.stack_text = chosen.text;
  const std::vector<Package> debs = selected_debs(request, stack, inventory);
  // Before locks are taken and an earlier transaction is restored; the digests decide the rest
  // after everything is read.
  if (request.lock) require_locked_sizes(*request.lock, debs);
  if (only_looks) {
    Execution execution =
        planned(host, request, make_plan(host, request, stack, bundle, nullptr, debs));
    for (std::string& warning : unfinished_warnings(host))
      execution.warnings.push_back(std::move(warning));
    return execution;
  }
  phases.enter("lock");
  const ChangeLock lock(host, request.lock_timeout_ms, told_to(events));
  const Recovery recovery = recover_unfinished(host, events);
  const Deadline deadline(request.deadline_s);
  Execution execution = with_recovery(recovery, [&] {
    if (recovery.has_failed()) return *recovery.last;
    refuse_unconfirmed(host);
    phases.enter("plan");
    Stage stage(host);
    const Plan plan = make_plan(host, request, stack, bundle, &stage, debs);
    if (plan.steps.empty()) return planned(host, request, plan);
    if (request.write_set == WriteSetWay::observed) require_observable(host);
    if (request.approve && !request.approve(plan)) {
      throw Error(ErrorCode::interrupted, "not installed: the plan was not approved",
                  "answer y, or give --yes");
    }
    phases.finish();
    Execution execution = execute_plan(host, stack, plan, request.requester, events, &stage);
    phases.precede(execution.report.phases);
    execution.report.root = host.root.string();
    execution.report.locks = lock.reports();
    if (execution.report.outcome == Outcome::committed) keep_usual_retention(host, execution);
    execution.warnings.insert(execution.warnings.begin(), plan.warnings.begin(),
                              plan.warnings.end());
    return execution;
  });
  store_report(host, std::string(name_of(request.purpose)), execution);
  return execution;
}

}  // namespace topsctl

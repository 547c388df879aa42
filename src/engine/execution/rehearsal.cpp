// Rehearses plans, and reads what they wrote.
#include "topsctl/engine/execution/rehearsal.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/execution/step_actions.hpp"
#include "engine/execution/wheel_comparison.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/execution/wheel_installation.hpp"
#include "topsctl/engine/observation/known_paths.hpp"
#include "topsctl/engine/planning/preflight.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/filesystem/overlay_sandbox.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* not_possible_hint =
    "a trial run needs the right to create namespaces and mount overlays (CAP_SYS_ADMIN), and "
    "space "
    "for written files; with --write-set predicted the write set is predicted and checked "
    "afterwards";
constexpr const char* failed_hint =
    "nothing was changed; if the package or its script needs what a trial run forbids (creating "
    "device nodes, loading kernel modules, mounting, setting the clock or the kernel), install "
    "with --write-set predicted";

std::string layers_folder() {
  return concat(system_state, "/rehearsal");
}

// Folders of the view that the machine's own state covers.
StepPlaces places_in_view(const Plan& plan) {
  return {concat(system_state, "/packages"), concat(system_state, "/tmp"), plan.python};
}

OverlayRequest request_for(const Plan& plan, const std::vector<fs::path>& packages) {
  OverlayRequest request;
  request.hidden = system_state;
  request.layers = layers_folder();
  request.written = plan.write_set.paths;
  request.needed_bytes = plan.needed_bytes;
  const StepPlaces places = places_in_view(plan);
  request.folders = {places.stage, places.temporary};
  for (std::size_t i = 0; i < packages.size(); ++i) {
    if (plan.packages[i].action == PackageAction::keep) continue;
    request.shown.push_back(
        {fs::absolute(packages[i]), concat(places.stage, "/", plan.packages[i].file)});
  }
  return request;
}

// What a step does in the view. Each action is named, so that a new one is not passed over.
struct Rehearser {
  const Host& host;
  const Plan& plan;
  const StepPlaces& places;
  EventSink& events;
  std::vector<std::string>& warnings;

  void operator()(const RunCommand& run) const {
    static_cast<void>(perform(host, with_offline_systemd(run), places, events, warnings));
  }
  void operator()(const InstallWheel& wheel) const {
    static_cast<void>(install_wheel_natively(host, plan, wheel, host.resolve(places.stage)));
  }
  void operator()(const CompareWheels& compare) const {
    static_cast<void>(compare_wheels(host, compare));
  }
  void operator()(const WriteFile& file) const { static_cast<void>(perform(host, file)); }
  // No install has one.
  void operator()(const PatchFile&) const {}
  void operator()(const StagePackages&) const {}
  void operator()(const RehearsePlan&) const {}
  void operator()(const KeepWriteSet&) const {}
  // They ask for the cards, which the view does not have.
  void operator()(const RunChecks&) const {}
  void operator()(const Commit&) const {}
  void operator()(const RestoreWriteSet&) const {}

  // systemctl(1) then changes links only, and asks no manager.
  static RunCommand with_offline_systemd(RunCommand run) {
    run.environment.emplace("SYSTEMD_OFFLINE", "1");
    return run;
  }
};

void run_steps(const OverlaySandbox& view, const Plan& plan, EventSink& events,
               std::vector<std::string>& warnings) {
  const StepPlaces places = places_in_view(plan);
  for (const Step& step : plan.steps) {
    try {
      events.working(format("rehearsing {}", step.description));
      std::visit(Rehearser{view.host(), plan, places, events, warnings}, step.action);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
      constexpr std::uint64_t full = 4U << 20U;
      if (view.free_bytes() < full) {
        throw Error(
            ErrorCode::no_space,
            format("the trial run has no space left for written files: {}", error.message()),
            "free some space, or install with --write-set predicted", error.context())
            .within(format("rehearsing {}", step.description));
      }
      throw Error(error.code(), error.message(), failed_hint, error.context())
          .within(format("rehearsing {}", step.description));
    }
  }
}

// dpkg and pip may say that all is well when it is not.
void require_installed(bool is_installed, const RehearsedPackage& after) {
  if (is_installed) return;
  throw Error(ErrorCode::step_failed,
              format("after the trial run, {} is not installed: {}{}{}", in_quotes(after.name),
                     after.version, after.version.empty() ? "" : " ", after.state),
              failed_hint);
}

RehearsedPackage wheel_after(const Host& view, const Plan& plan, const PlannedPackage& package) {
  const CheckResult state = check_installed_wheel(view, package.name, plan.python);
  const bool passed = state.status == CheckStatus::pass;
  RehearsedPackage after{package.name, package.kind, passed ? package.after : "", state.observed};
  require_installed(passed, after);
  return after;
}

RehearsedPackage deb_after(const std::vector<TargetPackage>& packages,
                           const PlannedPackage& package) {
  RehearsedPackage after{package.name, package.kind, "", "not installed"};
  const TargetPackage* found = package_named(packages, package.name);
  if (found != nullptr) {
    after.version = found->version;
    after.state = to_text(found->status);
  }
  require_installed(
      found != nullptr && is_installed(found->status) && found->version == package.after, after);
  return after;
}

// Throws Error for one that is not installed.
std::vector<RehearsedPackage> packages_after(const Host& view, const Plan& plan) {
  const std::vector<TargetPackage> packages = read_packages(view);
  std::vector<RehearsedPackage> after;
  for (const PlannedPackage& package : plan.packages) {
    after.push_back(package.kind == PackageKind::wheel ? wheel_after(view, plan, package)
                                                       : deb_after(packages, package));
  }
  return after;
}

RehearsedMount summary_of(const MountChanges& found) {
  RehearsedMount mount{found.mount, 0, 0};
  for (const LayerChange& change : found.changes) {
    mount.written_bytes += change.bytes_after;
    mount.growth_bytes += static_cast<std::int64_t>(change.bytes_after) -
                          static_cast<std::int64_t>(change.bytes_before);
  }
  return mount;
}

Error not_possible(const Error& error) {
  const bool is_signal =
      error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated;
  if (is_signal) return error;
  return {error.code(), format("cannot rehearse on this host: {}", error.message()),
          not_possible_hint, error.context()};
}

}  // namespace

void require_rehearsable(const Host& host, const Plan& plan) {
  try {
    const OverlaySandbox view(host, request_for(plan, {}));
  } catch (const Error& error) {
    throw not_possible(error);
  }
}

Rehearsed rehearse(const Host& host, const Plan& plan, const std::vector<fs::path>& packages,
                   EventSink& events) {
  std::optional<OverlaySandbox> view;
  try {
    view.emplace(host, request_for(plan, packages));
  } catch (const Error& error) {
    throw not_possible(error);
  }
  Rehearsed rehearsed;
  run_steps(*view, plan, events, rehearsed.warnings);
  rehearsed.report.packages = packages_after(view->host(), plan);
  rehearsed.report.store = view->store() == LayerStore::disk ? "disk" : "memory";
  for (const MountChanges& found : view->changes()) {
    if (!found.changes.empty()) rehearsed.report.mounts.push_back(summary_of(found));
    for (const LayerChange& change : found.changes) {
      if (!is_left_out(change.path)) rehearsed.written.push_back(change.path);
    }
  }
  std::sort(rehearsed.written.begin(), rehearsed.written.end());
  rehearsed.report.paths = rehearsed.written.size();
  for (const std::string& path : missed_by(host, plan.write_set, rehearsed.written)) {
    rehearsed.report.missed.push_back(printable(path));
  }
  return rehearsed;
}

std::string try_out(const Host& host, const Plan& plan, const std::vector<fs::path>& packages,
                    EventSink& events, Execution& execution, KnownWriteSet& known) {
  Rehearsed rehearsed;
  try {
    rehearsed = rehearse(host, plan, packages, events);
  } catch (const Error& error) {
    // Nobody asked for it: what there is no room for is predicted.
    if (plan.knowledge.is_asked_for || error.code() != ErrorCode::no_space) throw;
    known.reason = format("{}; {}", plan.knowledge.reason, error.message());
    return error.message();
  }
  execution.report.rehearsal = rehearsed.report;
  execution.warnings.insert(execution.warnings.end(), rehearsed.warnings.begin(),
                            rehearsed.warnings.end());
  known = with_rehearsal(plan, rehearsed);
  require_changeable(host, known.paths);
  return sentence_on(rehearsed.report);
}

std::string sentence_on(const RehearsalReport& rehearsal) {
  std::uint64_t bytes = 0;
  for (const RehearsedMount& mount : rehearsal.mounts) bytes += mount.written_bytes;
  return format("{} and {} written, {} of them not predicted", counted(rehearsal.paths, "path"),
                human_size(bytes), rehearsal.missed.size());
}

KnownWriteSet predicted_only(const Plan& plan) {
  const bool is_observed = plan.knowledge.known == "observed";
  return {plan.write_set, is_observed ? "observed" : "predicted", plan.knowledge.reason};
}

KnownWriteSet with_rehearsal(const Plan& plan, const Rehearsed& rehearsed) {
  KnownWriteSet known{plan.write_set, "rehearsed", plan.knowledge.reason};
  std::vector<std::string>& paths = known.paths.paths;
  paths.insert(paths.end(), rehearsed.written.begin(), rehearsed.written.end());
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return known;
}

std::vector<std::string> missed_by(const Host& host, const WriteSet& write_set,
                                   const std::vector<std::string>& paths) {
  std::set<std::string> known;
  for (const std::string& path : write_set.paths) {
    // The folders above a path are part of it.
    for (fs::path at = canonical_in_root(host.root, path); known.insert(at.string()).second;) {
      at = at.parent_path();
    }
  }
  std::set<std::string, std::less<>> unpacked;
  for (const std::string& path : write_set.unpacked) {
    unpacked.insert(canonical_in_root(host.root, path));
  }
  std::vector<PathFamily> families = write_set.families;
  for (PathFamily& family : families) {
    family.directory = canonical_in_root(host.root, family.directory, LastLink::follow);
  }
  std::vector<std::string> missed;
  for (const std::string& path : paths) {
    const bool is_of_family =
        std::any_of(families.begin(), families.end(), [&](const PathFamily& family) {
          const std::string begin = concat(family.directory, "/", family.prefix);
          if (path == family.directory) return true;
          if (!path.starts_with(begin)) return false;
          return !family.prefix.empty() || path.find('/', begin.size()) == std::string::npos;
        });
    const bool is_beside = unpacked.contains(path_beside(path));
    if (!known.contains(path) && !is_of_family && !is_beside) missed.push_back(path);
  }
  return missed;
}

void remove_rehearsal(const Host& host) {
  remove_layers(host, layers_folder());
}

}  // namespace topsctl

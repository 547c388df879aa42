// JSON form of plans.
#include "topsctl/model/plan.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string_view name(TransactionKind kind) {
  return kind == TransactionKind::patch ? "patch" : "install";
}

std::string_view name(PackageAction action) {
  switch (action) {
    case PackageAction::install:
      return "install";
    case PackageAction::upgrade:
      return "upgrade";
    case PackageAction::downgrade:
      return "downgrade";
    case PackageAction::reinstall:
      return "reinstall";
    case PackageAction::keep:
      return "keep";
  }
  return "install";
}

namespace {

bool installs_wheels(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return std::holds_alternative<InstallWheel>(step.action);
  });
}

struct ActionName {
  std::string_view operator()(const StagePackages&) const { return "stage-packages"; }
  std::string_view operator()(const KeepWriteSet&) const { return "keep-write-set"; }
  std::string_view operator()(const RunCommand&) const { return "run-command"; }
  std::string_view operator()(const InstallWheel&) const { return "install-wheel"; }
  std::string_view operator()(const CompareWheels&) const { return "compare-wheels"; }
  std::string_view operator()(const WriteFile&) const { return "write-file"; }
  std::string_view operator()(const PatchFile&) const { return "patch-file"; }
  std::string_view operator()(const RunChecks&) const { return "run-checks"; }
  std::string_view operator()(const Commit&) const { return "commit"; }
  std::string_view operator()(const RestoreWriteSet&) const { return "restore-write-set"; }
};

struct ActionFields {
  Json operator()(const RunCommand& run) const {
    Json json = {{"argv", run.argv}, {"timeout_s", run.timeout_s}, {"environment", Json::object()}};
    if (!run.unobserved_argv.empty()) json["unobserved_argv"] = run.unobserved_argv;
    return json;
  }
  Json operator()(const InstallWheel& wheel) const {
    return {{"name", wheel.name},
            {"file", wheel.file},
            {"purelib", wheel.scheme.purelib},
            {"platlib", wheel.scheme.platlib},
            {"scripts", wheel.scheme.scripts},
            {"data", wheel.scheme.data},
            {"headers", wheel.scheme.headers}};
  }
  Json operator()(const CompareWheels& compare) const {
    Json before = Json::array();
    for (const InstalledIdentity& wheel : compare.before) {
      before.push_back({{"name", wheel.name},
                        {"version", wheel.version},
                        {"dist_info", wheel.dist_info},
                        {"record_sha256", wheel.record_sha256}});
    }
    return {{"names", compare.names}, {"before", std::move(before)}};
  }
  Json operator()(const WriteFile& file) const {
    return {{"path", file.path}, {"content", file.content}, {"mode", file.mode}};
  }
  // A report must not contain the user's sources.
  Json operator()(const PatchFile& file) const {
    return {{"path", file.path}, {"before_sha256", file.before_sha256}, {"sha256", file.sha256}};
  }
  Json operator()(const RunChecks& run) const {
    Json ids = Json::array();
    for (const CheckRule& check : run.checks) ids.push_back(check.id);
    return {{"checks", std::move(ids)}};
  }
  Json operator()(const RestoreWriteSet& restore) const {
    return {{"transaction", restore.transaction}};
  }
  template <class Other>
  Json operator()(const Other&) const {
    return Json::object();
  }
};

Json to_json(const PlannedPackage& package) {
  return {{"component", package.component},
          {"kind", name(package.kind)},
          {"name", package.name},
          {"before", package.before ? Json(*package.before) : Json(nullptr)},
          {"after", package.after},
          {"action", name(package.action)},
          {"file", package.file},
          {"sha256", package.sha256},
          {"size", package.size}};
}

Json to_json(const Step& step) {
  return {{"id", step.id},
          {"action", name(step.action)},
          {"description", step.description},
          {"parameters", std::visit(ActionFields{}, step.action)},
          {"not_restored", step.not_restored}};
}

}  // namespace

std::vector<std::string> sentences_on(const LastingEffects& effects) {
  std::vector<std::string> sentences;
  if (effects.services)
    sentences.push_back(format("services started, stopped or restarted by package scripts"));
  if (effects.kernel_modules)
    sentences.push_back(format("kernel modules loaded by package scripts"));
  return sentences;
}

std::string_view name(const StepAction& action) {
  return std::visit(ActionName{}, action);
}

Json to_json(const Plan& plan) {
  Json packages = Json::array();
  for (const PlannedPackage& package : plan.packages) packages.push_back(to_json(package));
  Json steps = Json::array();
  for (const Step& step : plan.steps) steps.push_back(to_json(step));
  return {
      {"command", plan.command},
      {"stack", plan.stack.empty() ? Json(nullptr) : Json(plan.stack)},
      {"release", plan.release.empty() ? Json(nullptr) : Json(plan.release)},
      {"python", plan.python.empty() ? Json(nullptr) : Json(plan.python)},
      {"python_version", plan.python_version.empty() ? Json(nullptr) : Json(plan.python_version)},
      {"wheel_backend", installs_wheels(plan) ? Json("native") : Json(nullptr)},
      {"packages", std::move(packages)},
      {"environment", plan.environment ? to_json(*plan.environment) : Json(nullptr)},
      {"steps", std::move(steps)},
      {"predicted_paths", plan.write_set.paths.size()}};
}

}  // namespace topsctl

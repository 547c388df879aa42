// Finds the wheel of a step, and has it installed.
#include "topsctl/engine/execution/wheel_installation.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/python/wheel_installer.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

const PlannedPackage& package_of(const Plan& plan, const InstallWheel& action) {
  const auto found =
      std::find_if(plan.packages.begin(), plan.packages.end(),
                   [&](const PlannedPackage& package) { return package.file == action.file; });
  if (found == plan.packages.end()) {
    throw Error(ErrorCode::internal, format("the plan has no package {}", in_quotes(action.file)));
  }
  return *found;
}

WheelInstallation installation_of(const Plan& plan, const InstallWheel& action, fs::path wheel) {
  const PlannedPackage& package = package_of(plan, action);
  return {std::move(wheel), action.scheme, action.cache_tag,
          fs::absolute(package.location).lexically_normal(), package.sha256};
}

}  // namespace

void require_wheels_installable(const Host& host, const Plan& plan) {
  for (const Step& step : plan.steps) {
    const auto* action = std::get_if<InstallWheel>(&step.action);
    if (action == nullptr) continue;
    require_installable(host, installation_of(plan, *action, package_of(plan, *action).location));
  }
}

std::string install_wheel_natively(const Host& host, const Plan& plan, const InstallWheel& action,
                                   const fs::path& stage) {
  const InstalledFiles done =
      install_wheel(host, installation_of(plan, action, stage / action.file));
  std::string detail = concat(counted(done.files, "file"), ", ", human_size(done.bytes));
  if (done.removed > 0) detail += format("; {} of the previous version removed", done.removed);
  if (!done.left.empty()) {
    detail += format("; left in place, because not in the install directories: {}",
                     joined(done.left, ", "));
  }
  return printable(detail);
}

}  // namespace topsctl

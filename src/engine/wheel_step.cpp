// Makes and carries out the steps that install wheels.
#include "topsctl/engine/wheel_step.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/wheel_installer.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t pip_timeout_s = 3600;

std::vector<std::string> pip_argv(const PlannedPackage& wheel, const PythonFacts& python) {
  std::vector<std::string> argv = {python.executable,
                                   "-I",
                                   "-B",
                                   "-m",
                                   "pip",
                                   "install",
                                   "--no-index",
                                   "--no-deps",
                                   "--no-cache-dir",
                                   "--disable-pip-version-check",
                                   "--no-input",
                                   "--no-compile",
                                   "--force-reinstall"};
  if (compare_debian_versions(python.pip_version, "10") >= 0)
    argv.push_back("--no-warn-script-location");
  argv.push_back(concat(stage_placeholder, "/", wheel.file));
  return argv;
}

// Settings, not flags, where an older pip would not know the flag: it passes over the setting.
std::map<std::string, std::string> pip_environment(const PythonFacts& python,
                                                   SystemPython system_python) {
  std::map<std::string, std::string> environment = {{"PIP_CONFIG_FILE", "/dev/null"},
                                                    {"PIP_ROOT_USER_ACTION", "ignore"}};
  if (python.externally_managed && system_python == SystemPython::allow) {
    environment.emplace("PIP_BREAK_SYSTEM_PACKAGES", "1");
  }
  return environment;
}

const PlannedPackage& package_of(const Plan& plan, const InstallWheel& action) {
  const auto found =
      std::find_if(plan.packages.begin(), plan.packages.end(),
                   [&](const PlannedPackage& package) { return package.file == action.file; });
  if (found == plan.packages.end()) {
    throw Error(ErrorCode::internal, concat("the plan has no package ", in_quotes(action.file)));
  }
  return *found;
}

WheelInstallation installation_of(const Plan& plan, const InstallWheel& action, fs::path wheel) {
  const PlannedPackage& package = package_of(plan, action);
  return {std::move(wheel), action.scheme, action.cache_tag,
          fs::absolute(package.location).lexically_normal(), package.sha256};
}

}  // namespace

Step wheel_step(const PlannedPackage& wheel, const PythonFacts& python, WheelBackend backend,
                SystemPython system_python) {
  const std::string id = concat("wheel-", wheel.component);
  if (backend == WheelBackend::native) {
    return {id,
            concat("install ", wheel.file, " for ", python.executable),
            InstallWheel{wheel.name, wheel.file, python.scheme, python.cache_tag},
            {}};
  }
  return {id,
          concat(python.executable, " -m pip install ", wheel.file),
          RunCommand{"pip", pip_argv(wheel, python), pip_timeout_s, wheel.name,
                     pip_environment(python, system_python)},
          {}};
}

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
  if (done.removed > 0) detail += concat("; ", done.removed, " of the version before removed");
  if (!done.left.empty()) {
    detail += concat("; left alone, because they lie elsewhere: ", joined(done.left, ", "));
  }
  return printable(detail);
}

}  // namespace topsctl

// Makes the steps that install wheels.
#include "topsctl/engine/planning/wheel_step.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {

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

}  // namespace

Step wheel_step(const PlannedPackage& wheel, const PythonFacts& python, WheelBackend backend,
                SystemPython system_python) {
  const std::string id = concat("wheel-", wheel.component);
  if (backend == WheelBackend::native) {
    return {id,
            format("install {} for {}", wheel.file, python.executable),
            InstallWheel{wheel.name, wheel.file, python.scheme, python.cache_tag},
            {}};
  }
  return {id,
          format("{} -m pip install {}", python.executable, wheel.file),
          RunCommand{"pip", pip_argv(wheel, python), pip_timeout_s, wheel.name,
                     pip_environment(python, system_python)},
          {}};
}

}  // namespace topsctl

// The steps that install a wheel: pip's command, and topsctl's own way.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Both leave the same files; docs/decisions.md says why this one.
inline constexpr WheelBackend default_wheel_backend = WheelBackend::native;

// Whether an interpreter may be changed that the system manages (PEP 668).
enum class SystemPython { refuse, allow };

// The step for one wheel.
Step wheel_step(const PlannedPackage& wheel, const PythonFacts& python, WheelBackend backend,
                SystemPython system_python);

// Refuses what the native steps of the plan could not do, before anything is changed; the wheels
// are read where they lie now. Throws Error{host_unfit, bad_package}.
void require_wheels_installable(const Host& host, const Plan& plan);

// Carries a native step out; `stage` is the folder with the transaction's copies. Says what was
// done.
std::string install_wheel_natively(const Host& host, const Plan& plan, const InstallWheel& action,
                                   const std::filesystem::path& stage);

}  // namespace topsctl

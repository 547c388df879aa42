// The steps that install a wheel: pip's command, and topsctl's own way.
#pragma once

#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Both leave the same files; docs/decisions.md says why this one.
inline constexpr WheelBackend default_wheel_backend = WheelBackend::native;

// Whether an interpreter may be changed that the system manages (PEP 668).
enum class SystemPython { refuse, allow };

// The step for one wheel.
Step wheel_step(const PlannedPackage& wheel, const PythonFacts& python, WheelBackend backend,
                SystemPython system_python);

}  // namespace topsctl

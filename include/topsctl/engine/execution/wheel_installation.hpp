// Installs the wheels of a plan without pip.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Throws Error{host_unfit, bad_package} if a native step of the plan cannot run, before anything is
// changed. Reads the wheels in their present place.
void require_wheels_installable(const Host& host, const Plan& plan);

// Runs a native step; `stage` is the directory with the transaction's copies. Returns a sentence on
// the result.
std::string install_wheel_natively(const Host& host, const Plan& plan, const InstallWheel& action,
                                   const std::filesystem::path& stage);

}  // namespace topsctl

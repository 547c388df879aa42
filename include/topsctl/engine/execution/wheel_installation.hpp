// Installs the wheels of a plan without pip.
#pragma once

#include <filesystem>
#include <string>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Refuses what the native steps of the plan could not do, before anything is changed; the wheels
// are read where they lie now. Throws Error{host_unfit, bad_package}.
void require_wheels_installable(const Host& host, const Plan& plan);

// Carries a native step out; `stage` is the folder with the transaction's copies. Says what was
// done.
std::string install_wheel_natively(const Host& host, const Plan& plan, const InstallWheel& action,
                                   const std::filesystem::path& stage);

}  // namespace topsctl

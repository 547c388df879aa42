// All distributions of an interpreter.
#pragma once

#include <filesystem>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Name, version and metadata (`record`) of one distribution, dist-info or egg-info.
InstalledWheel read_distribution(const std::filesystem::path& entry);

// Name and version of every distribution in the interpreter's site directories, in their order;
// both forms, dist-info and egg-info. Skips directories that an interrupted pip left
// ("~orch-1.0.dist-info"), as pip does.
std::vector<InstalledWheel> read_distributions(const Host& host, const PythonFacts& python);

}  // namespace topsctl

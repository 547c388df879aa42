// The options of a launch: whether they are valid here, and reading them from a run or a job file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/training/cluster_launch.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// For --accept, with --again: script or configuration may have changed.
inline constexpr const char* accepted_change = "changed";

// --nproc, or one per card of --cards or of the host. Throws Error{usage} for an invalid list of
// cards, Error{host_unfit} if there is no card.
std::int64_t ranks_of(const LaunchRequest& request, const Host& host, const Stack& stack);
// Absolute; --log-dir, or topsctl-logs/RUN in the working directory.
std::filesystem::path log_folder_of(const LaunchRequest& request, const std::string& run);
// Throws Error{usage} if there are no words, Error{bad_input} if the script does not exist.
void require_script(const std::vector<std::string>& words);
// "always" or "never". Auto: whether the stack has a shim, and a source of the script's project
// names CUDA or NCCL. Throws Error{usage} for "always" without a shim.
std::string chosen_shim(const LaunchRequest& request, const Stack& stack);
// Throws Error{usage} for options that contradict one another or have unknown names.
void require_sense(const LaunchRequest& request, const DiagnosisCatalogue& catalogue);
// The request of a run that is to be repeated. Secrets among its settings, which its record omits,
// come from the host's environment or from `given` ("NAME=VALUE"), and must be the same. Throws
// Error{bad_input} if it was started on another host, or one of its files or secrets has changed;
// Error{usage} if a secret is missing.
LaunchRequest request_again(const Host& host, const std::string& word,
                            const std::vector<std::string>& given,
                            const std::vector<std::string>& accepted,
                            std::vector<std::string>& warnings);
// The request in a job file. Throws Error{bad_input} if the file is missing or malformed. Its
// `cluster` is stored in these options; options that are given beside --job stay: engine, --emit,
// --submit.
LaunchRequest request_in_file(const std::string& file, ClusterOptions& options);

}  // namespace topsctl

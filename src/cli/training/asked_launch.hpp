// What a launch is asked for: whether it makes sense here, and where a run or a job file says it.
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

// --nproc, or one for each card of --cards or of the host. Throws Error{usage} for what is no list
// of cards, Error{host_unfit} where there is no card.
std::int64_t ranks_of(const LaunchRequest& request, const Host& host, const Stack& stack);
// Absolute; --log-dir, or topsctl-logs/RUN in the working directory.
std::filesystem::path log_folder_of(const LaunchRequest& request, const std::string& run);
// Throws Error{usage} without any word, Error{bad_input} for a script that is not there.
void require_script(const std::vector<std::string>& words);
// "always" or "never". Auto: whether the stack has a shim, and a source of the script's project
// names CUDA or NCCL. Throws Error{usage} for "always" without a shim.
std::string chosen_shim(const LaunchRequest& request, const Stack& stack);
// Throws Error{usage} for options that contradict one another or name what is unknown.
void require_sense(const LaunchRequest& request, const DiagnosisCatalogue& catalogue);
// Of a run that is to be repeated. Secrets among its settings, which its record leaves out, are
// those of the host's environment or of `given` ("NAME=VALUE"), and have to be the same ones.
// Throws Error{bad_input} where it was started elsewhere, or one of its files or secrets is not as
// it was; Error{usage} where a secret is missing.
LaunchRequest request_again(const Host& host, const std::string& word,
                            const std::vector<std::string>& given,
                            const std::vector<std::string>& accepted,
                            std::vector<std::string>& warnings);
// Of a job file. Throws Error{bad_input} if it is not there or malformed.
// Its `cluster` goes into these options; what is given beside --job stays: engine, --emit,
// --submit.
LaunchRequest request_in_file(const std::string& file, ClusterOptions& options);

}  // namespace topsctl

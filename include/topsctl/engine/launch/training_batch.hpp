// The batch size of a training, from its command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The last number of `--NAME N` or `--NAME=N` among the words; '_' in a name counts as '-'.
std::optional<std::int64_t> number_given(const std::vector<std::string>& words,
                                         const std::vector<std::string_view>& names);

// From "--global-batch-size 512" among the script's words; else from "--batch-size 4" and similar,
// which apply per rank; else from "train_dataloader.batch_size=2", or the configuration file among
// the words (configured_batch.hpp). Nothing if none is present.
std::optional<std::int64_t> global_batch_of(const std::vector<std::string>& words,
                                            std::int64_t ranks);

}  // namespace topsctl

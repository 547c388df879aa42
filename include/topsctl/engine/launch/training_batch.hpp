// How many samples a training takes at once, by the words that it is started with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The last number that `--NAME N` or `--NAME=N` gives among the words; '_' in a name counts as '-'.
std::optional<std::int64_t> number_given(const std::vector<std::string>& words,
                                         const std::vector<std::string_view>& names);

// Of "--global-batch-size 512" among the script's words; else of "--batch-size 4" and the like,
// which each rank takes; else of "train_dataloader.batch_size=2", or of the configuration among the
// words that says so (configured_batch.hpp). Nothing if none is there.
std::optional<std::int64_t> global_batch_of(const std::vector<std::string>& words,
                                            std::int64_t ranks);

}  // namespace topsctl

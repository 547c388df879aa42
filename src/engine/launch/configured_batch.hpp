// How many samples a rank takes at once, by configurations of MMEngine and its predecessor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace topsctl {

// `batch_size` of `train_dataloader`, or `samples_per_gpu` of `data`, as these files of Python or
// what they name in `_base_` write it. Nothing where none does, where two differ, and where it is
// computed, changed afterwards or comes from elsewhere: no file is executed.
std::optional<std::int64_t> configured_batch(const std::vector<std::filesystem::path>& files);

}  // namespace topsctl

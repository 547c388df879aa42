// The batch size of a rank, from configurations of MMEngine and its predecessor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace topsctl {

// `batch_size` of `train_dataloader`, or `samples_per_gpu` of `data`, in these Python files or
// their `_base_` files. Nothing if it is missing, ambiguous, computed, changed afterwards or
// imported: no file is executed.
std::optional<std::int64_t> configured_batch(const std::vector<std::filesystem::path>& files);

}  // namespace topsctl

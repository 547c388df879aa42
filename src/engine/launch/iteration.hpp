// Parses the progress of a training from its output lines. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// "2, 50/100" for a line such as "Epoch(train) [2][ 50/100]" (MMEngine, MMCV), "iteration 50/ 100"
// (Megatron), "50/100 [00:10<00:10" (tqdm), "step 50"; nothing for any other line.
std::optional<std::string> iteration_in(std::string_view line);

// The numbers of such a text, in their order: {2, 50, 100}.
std::vector<std::uint64_t> numbers_in(std::string_view iteration);

// "gloo" for "Rank 0/8, Backend: gloo", as the shim and guides print it; nothing for any other
// line.
std::optional<std::string> backend_in(std::string_view line);

}  // namespace topsctl

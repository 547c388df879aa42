// Divides the ranks of a training among tensor, pipeline and data parallelism.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

struct LayoutWishes {
  std::int64_t hosts = 1;
  std::int64_t ranks_each = 1;    // per host
  std::int64_t tensor = 1;        // TP: ranks that share each layer
  std::int64_t pipeline = 1;      // PP: stages of layers
  std::int64_t micro_batch = 0;   // samples of one rank at once; 0: unset
  std::int64_t global_batch = 0;  // samples of one step; 0: unset
};

struct RankLayout {
  LayoutWishes wishes;
  std::int64_t ranks = 1;         // hosts * ranks_each = TP * PP * DP
  std::int64_t data = 1;          // DP: copies of the model
  std::int64_t global_batch = 0;  // 0: unknown
  std::int64_t accumulation = 0;  // micro batches of one step; 0: unknown
};

// Numbers ranks as Megatron does: tensor parallelism within a host, stages over consecutive blocks
// of ranks. Throws Error{usage} if TP * PP does not divide the ranks, TP exceeds a host or crosses
// hosts, a stage ends within a host, or a batch does not divide.
RankLayout lay_out(const LayoutWishes& wishes);

// One sentence per Megatron option in the script's arguments that contradicts the layout.
std::vector<std::string> contradictions(const RankLayout& layout,
                                        const std::vector<std::string>& words);

// The range of `hosts` that a stage runs on.
struct PipelineStage {
  std::int64_t first_host = 0;
  std::int64_t last_host = 0;
};
std::vector<PipelineStage> stages_of(const RankLayout& layout);

Json to_json(const RankLayout& layout, const std::vector<std::string>& hosts);

}  // namespace topsctl

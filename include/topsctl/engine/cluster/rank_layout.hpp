// How the ranks of a training are divided among tensor, pipeline and data parallelism.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

struct LayoutWishes {
  std::int64_t hosts = 1;
  std::int64_t ranks_each = 1;    // of each host
  std::int64_t tensor = 1;        // TP: ranks that share each layer
  std::int64_t pipeline = 1;      // PP: stages of layers
  std::int64_t micro_batch = 0;   // samples of one rank at once; 0: not said
  std::int64_t global_batch = 0;  // samples of one step; 0: not said
};

struct RankLayout {
  LayoutWishes wishes;
  std::int64_t ranks = 1;         // hosts * ranks_each = TP * PP * DP
  std::int64_t data = 1;          // DP: copies of the model
  std::int64_t global_batch = 0;  // 0: unknown
  std::int64_t accumulation = 0;  // micro batches of one step; 0: unknown
};

// Numbers ranks as Megatron does: tensor parallelism within a host, stages over blocks of ranks
// that follow one another. Throws Error{usage} for what cannot be: ranks that TP * PP does not
// divide, TP beyond or across hosts, a stage that ends within a host, a batch that does not divide.
RankLayout lay_out(const LayoutWishes& wishes);

// Where Megatron's own options among the script's words say something else than the layout: a
// sentence for each.
std::vector<std::string> contradictions(const RankLayout& layout,
                                        const std::vector<std::string>& words);

// The first and the last of `hosts` that each stage runs on.
struct PipelineStage {
  std::int64_t first_host = 0;
  std::int64_t last_host = 0;
};
std::vector<PipelineStage> stages_of(const RankLayout& layout);

Json to_json(const RankLayout& layout, const std::vector<std::string>& hosts);

}  // namespace topsctl

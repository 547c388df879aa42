// Divides ranks and batches, and rejects layouts that do not divide evenly.
#include "topsctl/engine/cluster/rank_layout.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/training_batch.hpp"

namespace topsctl {

namespace {

void require(bool is_so, const std::string& complaint, const std::string& hint) {
  if (!is_so) throw Error(ErrorCode::usage, complaint, hint);
}

Json number_or_null(std::int64_t number) {
  return number == 0 ? Json(nullptr) : Json(number);
}

}  // namespace

RankLayout lay_out(const LayoutWishes& wishes) {
  RankLayout layout;
  layout.wishes = wishes;
  layout.ranks = wishes.hosts * wishes.ranks_each;
  const std::int64_t model = wishes.tensor * wishes.pipeline;
  require(wishes.ranks_each % wishes.tensor == 0,
          format("tensor parallelism of {} does not fit hosts of {}", wishes.tensor,
                 counted(static_cast<std::size_t>(wishes.ranks_each), "rank")),
          "keep it within a host: --tp N that divides the ranks per host");
  require(layout.ranks % model == 0,
          format("{} ranks are not divisible by TP {} x PP {}", layout.ranks, wishes.tensor,
                 wishes.pipeline),
          "TP x PP x DP must equal the number of ranks: change the hosts, --nproc, --tp or --pp");
  layout.data = layout.ranks / model;
  const std::int64_t block = layout.ranks / wishes.pipeline;
  require(block % wishes.ranks_each == 0 || wishes.ranks_each % block == 0,
          format("a pipeline stage of {} ranks ends in the middle of a host of {}", block,
                 wishes.ranks_each),
          "use whole hosts for each stage: --pp N that divides the number of hosts");
  if (wishes.micro_batch == 0) {
    layout.global_batch = wishes.global_batch;
    require(wishes.global_batch % layout.data == 0,
            format("global batch {} is not divisible by DP {}", wishes.global_batch, layout.data),
            "--global-batch must be a multiple of DP");
    return layout;
  }
  const std::int64_t at_once = wishes.micro_batch * layout.data;
  layout.global_batch = wishes.global_batch == 0 ? at_once : wishes.global_batch;
  require(layout.global_batch % at_once == 0,
          format("global batch {} is not divisible by micro batch {} x DP {}", layout.global_batch,
                 wishes.micro_batch, layout.data),
          "--global-batch must be a multiple of --micro-batch x DP");
  layout.accumulation = layout.global_batch / at_once;
  return layout;
}

std::vector<std::string> contradictions(const RankLayout& layout,
                                        const std::vector<std::string>& words) {
  struct Pair {
    std::string_view of_script;
    std::string_view of_layout;
    std::int64_t number = 0;  // 0: unset
  };
  std::vector<std::string> sentences;
  for (const Pair& each : {Pair{"--tensor-model-parallel-size", "--tp", layout.wishes.tensor},
                           Pair{"--pipeline-model-parallel-size", "--pp", layout.wishes.pipeline},
                           Pair{"--micro-batch-size", "--micro-batch", layout.wishes.micro_batch},
                           Pair{"--global-batch-size", "--global-batch", layout.global_batch}}) {
    const auto given = number_given(words, {each.of_script});
    if (given && each.number != 0 && *given != each.number)
      sentences.push_back(format("{} {} of the script contradicts {} {}: give both the same number",
                                 each.of_script, *given, each.of_layout, each.number));
  }
  return sentences;
}

std::vector<PipelineStage> stages_of(const RankLayout& layout) {
  std::vector<PipelineStage> stages;
  const std::int64_t block = layout.ranks / layout.wishes.pipeline;
  for (std::int64_t stage = 0; stage < layout.wishes.pipeline; ++stage) {
    stages.push_back({stage * block / layout.wishes.ranks_each,
                      ((stage + 1) * block - 1) / layout.wishes.ranks_each});
  }
  return stages;
}

Json to_json(const RankLayout& layout, const std::vector<std::string>& hosts) {
  Json stages = Json::array();
  for (const PipelineStage& stage : stages_of(layout)) {
    const auto at = [&](std::int64_t host) {
      const auto place = static_cast<std::size_t>(host);
      return place < hosts.size() ? Json(hosts[place]) : Json(nullptr);
    };
    stages.push_back({{"first_host", at(stage.first_host)}, {"last_host", at(stage.last_host)}});
  }
  return {{"hosts", layout.wishes.hosts},
          {"ranks_each", layout.wishes.ranks_each},
          {"ranks", layout.ranks},
          {"tensor", layout.wishes.tensor},
          {"pipeline", layout.wishes.pipeline},
          {"data", layout.data},
          {"micro_batch", number_or_null(layout.wishes.micro_batch)},
          {"global_batch", number_or_null(layout.global_batch)},
          {"accumulation", number_or_null(layout.accumulation)},
          {"stages", std::move(stages)}};
}

}  // namespace topsctl

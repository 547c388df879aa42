// Puts together the command line and the environment of a training.
#include "topsctl/engine/launch/launch_plan.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string_view name(LaunchEngine engine) {
  return engine == LaunchEngine::torchrun ? "torchrun" : "topsctl";
}

std::filesystem::path pipe_of_rank(const std::filesystem::path& log_folder,
                                   const std::string& rank) {
  return log_folder / concat(".rank-", rank);
}

std::filesystem::path pipe_of_pids(const std::filesystem::path& log_folder) {
  return log_folder / ".ranks";
}

LaunchPlan plan_launch(const LaunchWishes& wishes) {
  LaunchPlan plan;
  plan.engine = wishes.engine;
  plan.words = wishes.words;
  plan.python = wishes.python;
  plan.ranks = wishes.ranks;
  plan.master_port = wishes.master_port;
  plan.log_folder = wishes.log_folder;
  plan.own_program = wishes.own_program;
  plan.environment = wishes.environment;
  // What a rank has of an earlier start would be believed.
  for (const char* of_rank : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK",
                              "MASTER_ADDR", "MASTER_PORT"})
    plan.environment.erase(of_rank);
  // Python keeps what it prints to a pipe back, and a rank that is killed never says it.
  plan.environment.emplace("PYTHONUNBUFFERED", "1");
  if (!wishes.cards.empty()) plan.environment["TOPS_VISIBLE_DEVICES"] = wishes.cards;
  if (plan.engine == LaunchEngine::torchrun) {
    // With underscores, torchrun of every version knows them.
    plan.argv = {
        wishes.python, "-m", "torch.distributed.run", "--nnodes=1",
        concat("--nproc_per_node=", wishes.ranks), "--master_addr=127.0.0.1",
        concat("--master_port=", wishes.master_port),
        // The files stay empty; but torchrun of PyTorch 1.13 fails with Python 3.11 without them.
        "--redirects=1", "--tee=1", concat("--log_dir=", (wishes.log_folder / "torchrun").string()),
        "--no_python"};
  }
  plan.argv.insert(plan.argv.end(),
                   {wishes.own_program, "rank", wishes.log_folder.string(), "--", wishes.python});
  plan.argv.insert(plan.argv.end(), wishes.words.begin(), wishes.words.end());
  return plan;
}

std::map<std::string, std::string> environment_of_rank(const LaunchPlan& plan, std::int64_t rank) {
  std::map<std::string, std::string> environment = plan.environment;
  const std::string number = concat(rank);
  const std::string size = concat(plan.ranks);
  for (const auto& [name, value] :
       {std::pair("RANK", number), std::pair("LOCAL_RANK", number), std::pair("WORLD_SIZE", size),
        std::pair("LOCAL_WORLD_SIZE", size), std::pair("GROUP_RANK", std::string("0")),
        std::pair("MASTER_ADDR", std::string("127.0.0.1")),
        std::pair("MASTER_PORT", plan.master_port)})
    environment[name] = value;
  return environment;
}

Json to_json(const LaunchPlan& plan) {
  return {{"engine", name(plan.engine)},
          {"words", plan.words},
          {"python", plan.python},
          {"ranks", plan.ranks},
          {"master_port", plan.master_port},
          {"log_folder", plan.log_folder.string()},
          {"argv", plan.argv}};
}

}  // namespace topsctl

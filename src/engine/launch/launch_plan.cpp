// Builds the command line and the environment of a training.
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

namespace {

// With underscores, every version of torchrun accepts them.
std::vector<std::string> meeting_words(const LaunchWishes& wishes) {
  const std::string ranks = concat("--nproc_per_node=", wishes.ranks);
  const std::string port = concat("--master_port=", wishes.master_port);
  if (!is_for_several(wishes.place)) return {"--nnodes=1", ranks, "--master_addr=127.0.0.1", port};
  const NodePlace& place = *wishes.place;
  const std::string nodes = concat("--nnodes=", place.nodes());
  // Keeps ranks in the order of the hosts, but cannot restart them together.
  if (wishes.engine_restarts == 0)
    return {nodes, ranks, concat("--node_rank=", place.node),
            concat("--master_addr=", place.master), port};
  const bool is_number = place.master.find(':') != std::string::npos;  // of IPv6
  const std::string address = is_number ? concat("[", place.master, "]") : place.master;
  return {nodes, ranks, "--rdzv_backend=c10d",
          concat("--rdzv_endpoint=", address, ":", wishes.master_port),
          concat("--rdzv_id=", place.rendezvous),
          // Otherwise torchrun compares names and addresses, and a host with several does not
          // recognize itself. A host that loads PyTorch over the network takes longer than
          // PyTorch's limit of one minute.
          concat("--rdzv_conf=is_host=", place.node == 0 ? 1 : 0, ",read_timeout=600"),
          concat("--max_restarts=", wishes.engine_restarts)};
}

}  // namespace

LaunchPlan plan_launch(const LaunchWishes& wishes) {
  LaunchPlan plan;
  plan.engine = wishes.engine;
  plan.words = wishes.words;
  plan.python = wishes.python;
  plan.ranks = wishes.ranks;
  plan.master_port = wishes.master_port;
  plan.log_folder = wishes.log_folder;
  plan.own_program = wishes.own_program;
  plan.stack = wishes.stack;
  plan.environment = wishes.environment;
  plan.place = wishes.place;
  // Variables of an earlier start would be used by mistake.
  for (const char* of_rank : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK",
                              "MASTER_ADDR", "MASTER_PORT"})
    plan.environment.erase(of_rank);
  // Python buffers output to a pipe, and a killed rank never writes it.
  plan.environment.emplace("PYTHONUNBUFFERED", "1");
  plan.engine_restarts = wishes.engine_restarts;
  if (is_for_several(wishes.place))
    plan.environment[addresses_variable] = addresses_text(*wishes.place);
  if (plan.engine == LaunchEngine::torchrun) {
    plan.argv = {wishes.python, "-m", "torch.distributed.run"};
    for (std::string& word : meeting_words(wishes)) plan.argv.push_back(std::move(word));
    // The files stay empty, but with Python 3.11 torchrun of PyTorch 1.13 fails without them.
    plan.argv.insert(
        plan.argv.end(),
        {"--redirects=1", "--tee=1",
         concat("--log_dir=", (wishes.log_folder / "torchrun").string()), "--no_python"});
  }
  plan.argv.insert(plan.argv.end(),
                   {wishes.own_program, "rank", wishes.log_folder.string(), "--", wishes.python});
  plan.argv.insert(plan.argv.end(), wishes.words.begin(), wishes.words.end());
  return plan;
}

std::map<std::string, std::string> environment_of_rank(const LaunchPlan& plan, std::int64_t rank) {
  std::map<std::string, std::string> environment = plan.environment;
  const std::int64_t node = plan.place ? plan.place->node : 0;
  const std::int64_t nodes = plan.place ? plan.place->nodes() : 1;
  const std::string master = nodes > 1 ? plan.place->master : "127.0.0.1";
  for (const auto& [name, value] :
       {std::pair("RANK", concat((node * plan.ranks) + rank)),
        std::pair("LOCAL_RANK", concat(rank)), std::pair("WORLD_SIZE", concat(nodes * plan.ranks)),
        std::pair("LOCAL_WORLD_SIZE", concat(plan.ranks)), std::pair("GROUP_RANK", concat(node)),
        std::pair("MASTER_ADDR", master), std::pair("MASTER_PORT", plan.master_port)})
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

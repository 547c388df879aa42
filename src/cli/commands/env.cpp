// topsctl env: the environment that an installed stack needs.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/planner.hpp"
#include "topsctl/engine/recovery.hpp"
#include "topsctl/host/files.hpp"
#include "topsctl/host/stacks.hpp"

namespace topsctl {

namespace {

struct Options {
  std::string root = "/";
  std::string stack;
};

std::string body(const std::optional<Environment>& environment, const std::string& file_state) {
  return Json({{"environment", environment ? to_json(*environment) : Json(nullptr)},
               {"file_state", file_state.empty() ? Json(nullptr) : Json(file_state)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

HostFacts installed_debs(const Host& host, const Stack& stack) {
  std::vector<std::string> names;
  for (const Component& component : stack.components) {
    if (component.kind == PackageKind::deb)
      names.insert(names.end(), component.names.begin(), component.names.end());
  }
  HostFacts facts;
  for (auto& [name, deb] : read_dpkg_database(host, names).wanted) {
    if (is_installed(deb)) facts.debs.emplace(name, deb);
  }
  return facts;
}

Output run(const Options& options, Session& session) {
  const Host host = session.with_root(options.root);
  require_usable_host(host, Purpose::look);
  const Stack stack = options.stack.empty() ? known_stacks().front() : load_stack(options.stack);
  const Environment environment =
      derive_environment(stack, stack_payload({}, installed_debs(host, stack)));
  const auto current = read_text_if_present(host.behind(environment.file));
  const std::string wanted = shell_file(environment);
  Output output;
  output.header.command = "env";
  output.header.warnings = unfinished_warnings(host);
  for (const std::string& name : environment.left_out) {
    output.header.warnings.push_back(
        concat("no value for ", name, ": no installed package has the file it is taken from"));
  }
  output.json = body(environment, !current ? "missing" : *current == wanted ? "right" : "differs");
  output.text = wanted;
  return output;
}

}  // namespace

CommandAction define_env(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  parser.add_option("--root", options->root, "Root directory of the system")->type_name("DIR");
  parser.add_option("--stack", options->stack, "A known stack's name, or a stack file")
      ->type_name("STACK");
  return {[options](Session& session) { return run(*options, session); }, body(std::nullopt, "")};
}

}  // namespace topsctl

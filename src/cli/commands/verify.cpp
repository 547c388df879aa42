// topsctl verify: does an installed stack work.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/engine/checks.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/recovery.hpp"
#include "topsctl/host/stacks.hpp"

namespace topsctl {

namespace {

struct Options {
  std::string root = "/";
  std::string stack;
  std::string python;
};

std::string body(const std::string& stack, const std::string& python,
                 const std::vector<CheckResult>& checks) {
  return Json({{"api", nullptr},
               {"stack", stack.empty() ? Json(nullptr) : Json(stack)},
               {"python", python.empty() ? Json(nullptr) : Json(python)},
               {"checks", to_json(checks)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

Output run(const Options& options, Session& session) {
  const Host host = session.with_root(options.root);
  require_usable_host(host, Purpose::look);
  const Stack stack = options.stack.empty() ? known_stacks().front() : load_stack(options.stack);
  const Verification verification = run_checks(host, stack, stack.checks, options.python);
  const std::vector<CheckResult>& checks = verification.checks;
  const auto failed = std::count_if(checks.begin(), checks.end(), [](const CheckResult& check) {
    return check.status == CheckStatus::fail || check.status == CheckStatus::unknown;
  });
  Output output;
  output.header.command = "verify";
  output.header.warnings = unfinished_warnings(host);
  output.header.exit = failed > 0 ? ExitCode::problems : ExitCode::done;
  output.json = body(stack.name, verification.python, checks);
  output.text = concat(session.style.bold("verify"), " ", stack.name, "\n",
                       render_checks(checks, session.style), session.style.bold("state:"), " ",
                       failed > 0 ? concat(failed, " of ", checks.size(), " checks failed")
                                  : concat("all ", checks.size(), " checks passed"),
                       "\n");
  return output;
}

}  // namespace

CommandAction define_verify(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  parser.add_option("--root", options->root, "Root directory of the system")->type_name("DIR");
  parser.add_option("--stack", options->stack, "A known stack's name, or a stack file")
      ->type_name("STACK");
  parser.add_option("--python", options->python, "The interpreter to check")->type_name("EXE");
  return {[options](Session& session) { return run(*options, session); }, body("", "", {})};
}

}  // namespace topsctl

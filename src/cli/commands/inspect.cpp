// topsctl inspect: what is in a bundle.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/engine/selection.hpp"
#include "topsctl/host/bundle.hpp"
#include "topsctl/host/interrupt.hpp"
#include "topsctl/host/stacks.hpp"

namespace topsctl {

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string stack;
};

// What a bundle has of a stack.
struct StackMatch {
  std::string name;
  std::vector<std::string> found;
  std::vector<std::string> missing;
};

StackMatch match(const Stack& stack, const Inventory& inventory) {
  StackMatch match{stack.name, {}, {}};
  for (const Component& component : stack.components) {
    const bool found = std::any_of(
        inventory.packages.begin(), inventory.packages.end(), [&](const Package& package) {
          return package.chosen && package.stack == stack.name && package.component == component.id;
        });
    (found ? match.found : match.missing).push_back(component.id);
  }
  return match;
}

std::vector<Finding> findings_of(const Inventory& inventory) {
  std::vector<Finding> findings;
  for (const Package& package : inventory.packages) {
    if (package.verdict != Verdict::broken) continue;
    findings.push_back({"package-unreadable",
                        Severity::error,
                        "a package cannot be read",
                        package.path,
                        {{package.path, 0, package.problem}},
                        "the file is damaged, cut short, or not what its name says",
                        {"copy the file again and compare its size and sha256 with the vendor's",
                         "", Risk::none}});
  }
  return findings;
}

std::string body(const Inventory& inventory, const std::vector<Finding>& findings,
                 const std::vector<StackMatch>& matches) {
  Json packages = Json::array();
  for (const Package& package : inventory.packages) packages.push_back(to_json(package));
  Json list = Json::array();
  for (const Finding& finding : findings) list.push_back(to_json(finding));
  Json stacks = Json::array();
  for (const StackMatch& match : matches) {
    stacks.push_back({{"name", match.name},
                      {"complete", match.missing.empty()},
                      {"found", match.found},
                      {"missing", match.missing}});
  }
  return Json({{"packages", std::move(packages)},
               {"findings", std::move(list)},
               {"stacks", std::move(stacks)},
               {"other_files", inventory.other_files}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> stack_lines(const std::vector<StackMatch>& matches, const Style& style) {
  std::vector<std::string> lines;
  for (const StackMatch& match : matches) {
    if (match.missing.empty()) {
      lines.push_back(concat(style.green("complete:"), " stack ", match.name, " (",
                             joined(match.found, ", "),
                             "); next: topsctl install BUNDLE --dry-run"));
    } else if (!match.found.empty()) {
      lines.push_back(concat(style.yellow("incomplete:"), " stack ", match.name, " lacks ",
                             joined(match.missing, ", ")));
    }
  }
  if (lines.empty())
    lines.push_back("no known stack is in it; describe your own with --stack FILE");
  return lines;
}

Output run(const Options& options, Session& session) {
  const std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  const std::vector<Stack> stacks =
      options.stack.empty() ? known_stacks() : std::vector<Stack>{load_stack(options.stack)};
  Inventory inventory = read_inventory(paths, Digests::each, [&](const std::string& file) {
    throw_if_interrupted();
    session.events->working(concat("reading ", file));
  });
  for (const Stack& stack : stacks) identify(stack, inventory);
  std::vector<StackMatch> matches;
  for (const Stack& stack : stacks) matches.push_back(match(stack, inventory));
  const std::vector<Finding> findings = findings_of(inventory);
  Output output;
  output.header.command = "inspect";
  if (!findings.empty()) {
    output.header.exit = ExitCode::bad_input;
    output.header.error =
        Error(ErrorCode::bad_package,
              concat(findings.size(), " of ", counted(inventory.packages.size(), "package"),
                     " cannot be read, first: ", findings.front().subject),
              findings.front().remedy.text);
  }
  output.json = body(inventory, findings, matches);
  output.text =
      render_inventory(inventory, findings, stack_lines(matches, session.style), session.style);
  return output;
}

}  // namespace

CommandAction define_inspect(CLI::App& parser) {
  auto options = std::make_shared<Options>();
  parser.add_option("path", options->paths, "Bundle folders, .deb and .whl files")
      ->required()
      ->type_name("PATH");
  parser.add_option("--stack", options->stack, "A known stack's name, or a stack file")
      ->type_name("STACK");
  return {[options](Session& session) { return run(*options, session); }, body({}, {}, {})};
}

}  // namespace topsctl

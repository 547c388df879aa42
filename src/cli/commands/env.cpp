// topsctl env: prints the environment that an installed stack needs, runs a program with it, or
// compares it with the host's.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/environment_text.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/environment_check.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/planning/host_environment.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/exec_program.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/model/environment_formats.hpp"

namespace topsctl {

namespace {

struct EnvCommandOptions {
  std::string root = "/";
  std::string stack;
  std::string format = "sh";
  SettingOptions settings;
  std::int64_t process = 0;  // 0: none
};

struct Body {
  std::optional<Environment> environment;
  std::string file_state;
  std::string format;
  std::string text;
  EnvironmentCheck check;
};

Json json_of(const Body& body) {
  Json json = {{"environment", body.environment ? to_json(*body.environment) : Json(nullptr)},
               {"file_state", text_or_null(body.file_state)},
               {"format", text_or_null(body.format)},
               {"text", text_or_null(body.text)}};
  json.update(to_json(body.check));
  return json;
}

bool is_folder(const Host& host, const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_directory(host.resolve(path), failure);
}

// The findings on the chosen settings, in addition to those of `env check` on the host's.
std::vector<std::string> setting_warnings(const std::map<std::string, std::string>& variables,
                                          const Stack& stack, const SettingOptions& chosen) {
  std::vector<std::string> warnings;
  for (const Finding& finding : setting_findings(variables, stack, chosen))
    warnings.push_back(setting_warning(finding));
  return warnings;
}

Output print(const Host& host, const Stack& stack, const EnvCommandOptions& options) {
  Output output;
  output.header.command = "env";
  output.header.warnings = unfinished_warnings(host);
  const auto current = read_text_if_present(host.resolve(stack.environment.file));
  Body body;
  body.environment =
      environment_of_host(host, stack, options.settings, current, output.header.warnings);
  body.file_state = !current                                    ? "missing"
                    : *current == shell_file(*body.environment) ? "right"
                                                                : "differs";
  for (std::string& warning :
       setting_warnings(joined_environment({}, *body.environment), stack, options.settings))
    output.header.warnings.push_back(std::move(warning));
  body.format = options.format;
  const EnvironmentFormat format = environment_format(options.format);
  const auto is_there = [&](const std::string& folder) { return is_folder(host, folder); };
  body.text = environment_text(
      looks_at_use(format) ? *body.environment : as_found(*body.environment, is_there), format);
  output.text = body.text;
  output.is_data = true;
  output.json = json_of(body);
  return output;
}

[[noreturn]] void become(const Host& host, const Stack& stack, const EnvCommandOptions& options,
                         Session& session) {
  std::vector<std::string> warnings;
  const Environment environment = environment_for_programs(host, stack, options.settings, warnings);
  const auto joined = joined_environment(session.host.environment, environment);
  for (std::string& warning : setting_warnings(joined, stack, options.settings))
    warnings.push_back(std::move(warning));
  for (const std::string& warning : warnings) session.events->warning(warning);
  exec_program(*session.program_words, joined);
}

Output check(const Host& host, const Stack& stack, const EnvCommandOptions& options,
             const Session& session) {
  Output output;
  output.header.command = "env";
  output.header.warnings = unfinished_warnings(host);
  std::optional<std::int64_t> process;
  if (options.process > 0) process = options.process;
  Body body;
  body.check = check_environment(host, stack, process, output.header.warnings);
  output.header.exit = has_problems(body.check) ? ExitCode::problems : ExitCode::done;
  output.json = json_of(body);
  output.text = render_environment_check(body.check, session.style);
  return output;
}

void refuse_with(const OptionTable& table, const std::vector<std::string>& names,
                 const std::string& part, const std::string& hint) {
  for (const std::string& name : names) {
    if (table.has(name))
      throw Error(ErrorCode::usage, format("{} cannot be used with `env {}`", name, part), hint);
  }
}

}  // namespace

CommandAction define_env(OptionTable& table) {
  auto options = std::make_shared<EnvCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--format", options->format, "Output format", "NAME")
      .choices(environment_format_names());
  add_setting_options(table, options->settings);
  add_library_option(table, options->settings);
  OptionTable& exec =
      table.part("exec", "Run a program in this environment: exec -- PROGRAM ARGS...");
  OptionTable& look = table.part("check", "Compare everything that sets it on a host");
  look.value("--pid", options->process, "Also check this process", "PID")
      .check(whole_number(1, 4194304));
  const auto run = [options, &exec, &look, &table](Session& session) {
    if (exec.is_given) {
      refuse_with(table, {"--root", "--format"}, "exec",
                  "run topsctl inside that system, for example with chroot");
      if (!session.program_words || session.program_words->empty())
        throw Error(ErrorCode::usage, "no program to run",
                    "give it after '--': topsctl env exec -- PROGRAM ARGS...");
    } else if (session.program_words) {
      throw Error(ErrorCode::usage, "unexpected arguments after '--'",
                  "`topsctl env -h` shows the usage");
    }
    if (look.is_given) {
      refuse_with(table,
                  {"--format", "--profile", "--set", "--unset", "--forget-settings", "--library"},
                  "check", "it shows what is set; `topsctl env` prints what should be set");
    }
    const Host host = session.with_root(options->root);
    if (options->process > 0 && host.root != "/") {
      throw Error(ErrorCode::usage, "--pid cannot be used with --root",
                  "only processes of the running system can be checked");
    }
    require_usable_host(host, Purpose::look);
    const Stack stack = stack_on(host, options->stack);
    if (exec.is_given) become(host, stack, *options, session);
    return look.is_given ? check(host, stack, *options, session) : print(host, stack, *options);
  };
  return {run, json_of(Body())};
}

}  // namespace topsctl

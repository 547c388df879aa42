// topsctl shim: the runtime shim for launchers other than `topsctl launch`, and its mapping.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/launch/shim.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t shared_folder_mode = 0755;
constexpr mode_t shared_file_mode = 0644;

struct ShimCommandOptions {
  std::string stack;
  std::string folder;
  bool explain = false;
};

std::string listed(const Json& rows, const char* second, std::string_view mark) {
  std::string text;
  for (const Json& row : rows)
    text += concat("  ", row.at("cuda").get<std::string>(), "\n      ", mark,
                   row.at(second).get<std::string>(), "\n");
  return text;
}

std::string explained(const Json& mapping, const Style& style) {
  const bool is_chinese = used_language() == Language::chinese;
  const char* why = is_chinese ? "why_zh" : "why";
  return concat(style.bold(format("Mapped")), "\n",
                listed(mapping.at("mapped"), is_chinese ? "becomes_zh" : "becomes", "-> "),
                style.bold(format("Refused at the first call [cuda-beyond-the-shim]")), "\n",
                listed(mapping.at("refused"), why, ""));
}

fs::path written_shim(const std::string& wanted, const Stack& stack) {
  fs::path folder = fs::absolute(wanted).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::error_code failure;
  if (fs::exists(fs::symlink_status(folder, failure)))
    throw Error(ErrorCode::bad_input, format("{} already exists", in_quotes(folder.string())),
                "give a new directory: --write DIR");
  try {
    write_shim(folder, shim_files(stack), shared_folder_mode, shared_file_mode);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    throw Error(ErrorCode::host_unfit, error.message(),
                "give a directory that you can write to: --write DIR");
  }
  return folder;
}

Output run_shim(const ShimCommandOptions& options, Session& session) {
  if (options.explain == !options.folder.empty())
    throw Error(ErrorCode::usage, "give --explain or --write DIR",
                "`topsctl launch -- SCRIPT` loads the shim by itself");
  const Stack stack = stack_on(session.host, options.stack);
  require_shim(stack, "use another stack: --stack STACK");
  Output output;
  output.header.command = "shim";
  Json json = shim_mapping(stack);
  json["stack"] = stack.name;
  json["generation"] = stack.environment.generation;
  json["backend"] = stack.backend.name;
  json["folder"] = nullptr;
  json["environment"] = nullptr;
  if (options.explain) {
    output.text = explained(json, session.style);
  } else {
    const fs::path folder = written_shim(options.folder, stack);
    auto environment = shim_environment(folder, stack);
    load_shim_in(environment);
    output.changed = true;
    output.text =
        concat(format("runtime shim: {}\nload it into the ranks of another launcher with\n",
                      printable(folder.string())),
               "    export TOPSCTL_SHIM=", stack.environment.generation,
               "\n    export PYTHONPATH=", typed_word(folder.string()),
               "\"${PYTHONPATH:+:$PYTHONPATH}\"\n");
    json["folder"] = folder.string();
    json["environment"] = environment;
  }
  output.json = json;
  return output;
}

}  // namespace

CommandAction define_shim(OptionTable& table) {
  auto options = std::make_shared<ShimCommandOptions>();
  table.value("--write", options->folder, "Write the shim to this new directory", "DIR");
  table.flag("--explain", options->explain, "List what it maps to what, and what it refuses");
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  const auto run = [options](Session& session) { return run_shim(*options, session); };
  return {run,
          {{"stack", nullptr},
           {"generation", nullptr},
           {"backend", nullptr},
           {"folder", nullptr},
           {"environment", nullptr},
           {"mapped", Json::array()},
           {"refused", Json::array()}}};
}

}  // namespace topsctl

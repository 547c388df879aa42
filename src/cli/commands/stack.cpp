// topsctl stack: the known stacks, their requirements, and checks of stack files.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/render.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

struct StackCommandOptions {
  std::string stack;
  std::string file;
};

struct ShownStack {
  KnownStack known;
  std::optional<Signer> signed_by = {};
};

std::string_view kind_of(const Component& component) {
  return component.tree.prefix.empty() ? name(component.kind) : "tree";
}

Json to_json(const Stack& stack, const Component& component) {
  return {{"id", component.id},
          {"kind", kind_of(component)},
          {"names", component.names},
          {"version", text_or_null(wanted_version(stack, component))},
          {"required", component.required}};
}

Json to_json(const ShownStack& shown) {
  const Stack& stack = shown.known.stack;
  Json components = Json::array();
  for (const Component& component : stack.components)
    components.push_back(to_json(stack, component));
  const VersionRange& range = stack.releases.range;
  return {
      {"name", stack.name},
      {"title", stack.title},
      {"file", text_or_null(printable(shown.known.file))},
      {"signed_by", shown.signed_by ? Json({{"key", shown.signed_by->key},
                                            {"comment", text_or_null(shown.signed_by->comment)}})
                                    : Json(nullptr)},
      {"releases", range.from.empty() ? Json(nullptr)
                                      : Json({{"from", range.from},
                                              {"below", range.below},
                                              {"tested", stack.releases.tested}})},
      {"release", text_or_null(stack.release)},
      {"components", std::move(components)},
      {"profiles", stack.profile_names()},
      {"environment_file", stack.environment.file},
      {"checks", stack.checks.size()}};
}

// With the stack file, for a single stack.
Json with_definition(const ShownStack& shown) {
  Json json = to_json(shown);
  const Json file = Json::parse(shown.known.text);
  const Json::json_pointer within("/stacks/0/definition");  // a report of this command was given
  json["definition"] = file.contains(within) ? file[within] : file;
  return json;
}

std::string body_of(const std::vector<ShownStack>& stacks) {
  Json list = Json::array();
  for (const ShownStack& shown : stacks)
    list.push_back(shown.known.text.empty() ? to_json(shown) : with_definition(shown));
  return to_line({{"stacks", std::move(list)}});
}

std::string releases_of(const Stack& stack) {
  if (!stack.release.empty()) return stack.release;
  return stack.releases.range.from.empty() ? std::string("-") : to_text(stack.releases.range);
}

std::string origin_of(const KnownStack& known) {
  return known.file.empty() ? format("built-in") : printable(known.file);
}

Output output_of(std::vector<ShownStack> stacks, std::string text) {
  Output output;
  output.header.command = "stack";
  output.json = body_of(stacks);
  output.text = std::move(text);
  return output;
}

Output list_stacks(Session& session) {
  std::vector<ShownStack> stacks;
  std::vector<std::vector<std::string>> rows = {{"stack", "releases", "from", "title"}};
  for (KnownStack& known : stacks_with_origin()) {
    rows.push_back(
        {known.stack.name, releases_of(known.stack), origin_of(known), known.stack.title});
    known.text.clear();
    stacks.push_back({std::move(known)});
  }
  return output_of(std::move(stacks), table(rows, session.style));
}

std::string text_of(const KnownStack& known, const Style& style) {
  const Stack& stack = known.stack;
  std::string text = format("{}: {}\n", style.bold(title_of(stack)), stack.title);
  std::vector<std::vector<std::string>> rows = {{"component", "kind", "package", "version", ""}};
  for (const Component& component : stack.components) {
    const std::string version = wanted_version(stack, component);
    rows.push_back({component.id, std::string(kind_of(component)),
                    joined(component.names, format(" or ")),
                    version.empty() ? format("any") : version,
                    component.required ? std::string() : format("optional")});
  }
  text += table(rows, style);
  const auto line = [&](const char* what, const std::string& value) {
    if (!value.empty()) text += format("  {}: {}\n", what, value);
  };
  line("releases", to_text(stack.releases.range));
  line("tested", joined(stack.releases.tested, ", "));
  line("Python", joined(stack.python.tested_minors, ", "));
  line("environment file", stack.environment.file);
  line("profiles", joined(stack.profile_names(), ", "));
  line("checks", concat(stack.checks.size()));
  line("read from", origin_of(known));
  return text;
}

Output show(const StackCommandOptions& options, Session& session) {
  KnownStack shown{load_stack(options.stack), ""};
  if (means_stack_file(options.stack)) {
    shown.file = options.stack;
    shown.text = read_stack_file(options.stack).text;
  } else {
    for (const KnownStack& known : stacks_with_origin()) {
      if (known.stack.name != shown.stack.name) continue;
      shown.file = known.file;
      shown.text = known.text;
    }
  }
  std::string text = text_of(shown, session.style);
  return output_of({{std::move(shown)}}, std::move(text));
}

// The file of a known stack that is given by its name; else the path as given.
std::string file_to_check(const std::string& given) {
  if (means_stack_file(given)) return given;
  for (const KnownStack& known : stacks_with_origin()) {
    if (known.stack.name != given) continue;
    if (!known.file.empty()) return known.file;
    throw Error(ErrorCode::usage,
                format("the stack {} is part of topsctl and has no file", in_quotes(given)),
                format("`topsctl stack show {}` shows it", given));
  }
  return given;
}

Output check(const StackCommandOptions& options, Session& session) {
  const std::string path = file_to_check(options.file);
  const ChosenStack chosen = read_stack_file(path);
  KnownStack known{chosen.stack, path, chosen.text};
  std::string text = text_of(known, session.style);
  const std::string state =
      chosen.file->signed_by
          ? format("the stack file is valid and signed by {}", chosen.file->signed_by->key)
          : std::string("the stack file is valid but not signed");
  text += concat(session.style.bold(format("state:")), " ", state, "\n");
  return output_of({{std::move(known), chosen.file->signed_by}}, std::move(text));
}

}  // namespace

CommandAction define_stack(OptionTable& table) {
  auto options = std::make_shared<StackCommandOptions>();
  static_cast<void>(table.part("list", "List the known stacks"));
  OptionTable& one = table.part("show", "Show what a stack requires");
  one.argument("stack", options->stack, "Stack name, NAME@RELEASE, or a stack file", "STACK")
      .lists("stacks")
      .required();
  OptionTable& file = table.part("check", "Check a stack file");
  file.argument("file", options->file, "Stack file, or the name of a stack of this host", "FILE")
      .required();
  return {[options, &one, &file](Session& session) {
            if (one.is_given) return show(*options, session);
            return file.is_given ? check(*options, session) : list_stacks(session);
          },
          body_of({})};
}

}  // namespace topsctl

// topsctl stack: the known stacks, their requirements, and checks of stack files.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.hpp"
#include "cli/finding_text.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/render.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/inspection/tree_packages.hpp"
#include "topsctl/engine/planning/stack_draft.hpp"
#include "topsctl/engine/planning/stack_match.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/network/prompter.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/given_files.hpp"
#include "topsctl/model/stack/stack_parser.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_name = 64;

struct StackCommandOptions {
  std::string stack;
  std::string file;
  std::string bundle;
  std::string name;
  std::string output;
  std::string explained;
  bool no_sandbox = false;
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
  const Json file = parse_json(shown.known.text, shown.known.file);
  const Json::json_pointer within("/stacks/0/definition");  // a report of this command was given
  json["definition"] = file.contains(within) ? file[within] : file;
  return json;
}

Json body_of(const std::vector<ShownStack>& stacks) {
  Json list = Json::array();
  for (const ShownStack& shown : stacks)
    list.push_back(shown.known.text.empty() ? to_json(shown) : with_definition(shown));
  return {{"stacks", std::move(list)}};
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

std::string place_of(const DraftNote& note) {
  return note.place.empty() ? format("the whole") : note.place;
}

// Of a stack that `stack new` wrote: what is to be decided, or also where each line is from.
std::string draft_text(const Stack& stack, bool with_evidence, const Style& style) {
  std::string text;
  for (const DraftNote& note : stack.draft) {
    if (!with_evidence && note.decide.empty()) continue;
    text +=
        fitted_lines(concat("  ", style.bold(place_of(note)), ": ", note.evidence, "\n"), style);
    if (!note.decide.empty())
      text += fitted_lines(format("    to decide: {}\n", note.decide), style);
  }
  return text;
}

// "3 lines"; empty: nothing is left to decide.
std::string count_of_decisions(const Stack& stack) {
  const std::size_t open = stack.open_decisions();
  return open == 0 ? std::string() : counted(open, "line");
}

Output explain(const StackCommandOptions& options, Session& session) {
  KnownStack shown{load_stack(options.explained), ""};
  if (means_stack_file(options.explained)) {
    shown.file = options.explained;
    shown.text = read_stack_file(options.explained).text;
  }
  std::string text =
      shown.stack.draft.empty()
          ? format("{} is no draft: it has no notes on its lines\n", title_of(shown.stack))
          : draft_text(shown.stack, true, session.style);
  return output_of({{std::move(shown)}}, std::move(text));
}

// The known stack that the whole bundle is, if there is one.
std::optional<KnownStack> known_stack_of(Inventory inventory) {
  std::optional<KnownStack> found;
  for (const KnownStack& known : stacks_with_origin()) {
    const std::vector<StackMatch> matches = stack_matches({known.stack}, inventory);
    if (matches.front().is_complete() &&
        (!found || known.stack.components.size() > found->stack.components.size()))
      found = known;
  }
  return found;
}

std::string answer_or(TerminalPrompter& prompter, const std::string& question,
                      const std::string& otherwise) {
  const auto answer = prompter.ask(question, Echo::on);
  const std::string text = answer ? std::string(trimmed(answer->view())) : std::string();
  return text.empty() ? otherwise : text;
}

// What no package says.
void ask(DraftWishes& wishes, const Session& session, bool is_named) {
  if (!session.is_interactive) return;
  TerminalPrompter prompter;
  if (!is_named)
    wishes.name = answer_or(prompter, format("Name of the stack [{}]: ", wishes.name), wishes.name);
  wishes.title = answer_or(prompter, format("What it is, in one line [none]: "), "");
  const std::string cards = answer_or(prompter, format("Cards of a server [8]: "), "");
  if (is_digits(cards) && cards.size() <= 4) wishes.cards = std::stol(cards);
}

// The draft is checked as any stack file is; what it cannot express is the packages' own.
Stack parsed_draft(const std::string& written, const std::string& name) {
  try {
    return parse_stack(written, in_quotes(name));
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_bundle,
                format("a stack file cannot express these packages: {}", error.message()),
                "move the package with that name out of the bundle and draft the stack again, or "
                "write the file by hand: docs/stack.schema.json describes it");
  }
}

Output draft(const StackCommandOptions& options, Session& session) {
  const bool is_printed = options.output.empty() || options.output == "-";
  const fs::path place = is_printed ? fs::path() : fs::absolute(options.output);
  std::error_code failure;
  if (!is_printed) require_folder_of(options.output);
  if (!place.empty() && fs::exists(fs::symlink_status(place, failure)))
    throw Error(ErrorCode::bad_input, format("{} already exists", in_quotes(place.string())),
                "give a new file: --output FILE.json");
  std::vector<std::string> warnings;
  const SandboxWish wish{sandboxing_of(options.no_sandbox),
                         [&](const std::string& warning) { warnings.push_back(warning); }};
  BundleReading reading;
  reading.depth = Depth::deep;
  reading.threads = std::max(1U, std::thread::hardware_concurrency());
  reading.on_file = [&](const std::string& file) {
    session.events->working(format("reading {}", file));
  };
  const BundleFiles files({options.bundle}, known_stacks(), wish);
  const Inspection inspection = read_and_judge(files.found(), reading, wish).inspection;
  DraftWishes wishes;
  wishes.name = options.name.empty()
                    ? stack_name_of(fs::absolute(options.bundle).lexically_normal().string())
                    : options.name;
  std::string written;
  std::string state;
  if (const auto known = known_stack_of(inspection.inventory); known && options.name.empty()) {
    written = known->text;
    state = format("the bundle is complete for the known stack {}: this is its file",
                   known->stack.name);
  } else {
    ask(wishes, session, !options.name.empty());
    written = to_text(drafted_stack(inspection, wishes));
  }
  KnownStack shown{parsed_draft(written, wishes.name), place.string(), written};
  if (state.empty()) {
    for (const KnownStack& each : stacks_with_origin()) {
      if (each.stack.name == shown.stack.name)
        warnings.push_back(
            format("there is a stack named {}: give the new one another name", each.stack.name));
    }
    const std::string open = count_of_decisions(shown.stack);
    state = open.empty()
                ? format("a draft of the stack {}", shown.stack.name)
                : format("a draft of the stack {} with {} to decide", shown.stack.name, open);
  }
  if (!place.empty()) {
    write_plainly(place, written, 0644);
    // An install reads directories and packages, no archives of them.
    const bool is_archive = !fs::is_directory(options.bundle, failure) &&
                            !options.bundle.ends_with(".deb") && !options.bundle.ends_with(".whl");
    const std::string stack = typed_word(options.output);
    state +=
        is_archive
            ? format("; unpack the bundle, then: topsctl install DIR --stack {} --dry-run", stack)
            : format("; try it: topsctl install {} --stack {} --dry-run",
                     typed_word(options.bundle), stack);
  }
  const std::string notes = draft_text(shown.stack, false, session.style);
  const std::string last =
      fitted_lines(concat(session.style.bold(format("state:")), " ", state, "\n"), session.style);
  Output output = output_of(
      {{shown}}, place.empty() ? written : concat(text_of(shown, session.style), notes, last));
  output.is_data = place.empty();
  if (place.empty()) {
    for (const DraftNote& note : shown.stack.draft) {
      if (!note.decide.empty())
        warnings.push_back(format("to decide: {}: {}", place_of(note), note.decide));
    }
  }
  output.header.warnings = std::move(warnings);
  return output;
}

Output check(const StackCommandOptions& options, Session& session) {
  const std::string path = file_to_check(options.file);
  const ChosenStack chosen = read_stack_file(path);
  KnownStack known{chosen.stack, path, chosen.text};
  std::string text = text_of(known, session.style);
  const std::string state =
      chosen.file->signed_by
          ? format("the stack file is valid and signed by {}", chosen.file->signed_by->key)
          : format("the stack file is valid but not signed");
  text += draft_text(known.stack, false, session.style);
  const std::string open = count_of_decisions(known.stack);
  text += fitted_lines(
      concat(session.style.bold(format("state:")), " ", state,
             open.empty() ? std::string() : format("; a draft with {} to decide", open), "\n"),
      session.style);
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
  OptionTable& made = table.part("new", "Draft a stack file from the packages of a bundle");
  made.argument("bundle", options->bundle, "Directory or archive with debs and wheels", "BUNDLE")
      .required();
  made.value("--name", options->name, "Name of the stack; default: as the bundle is named", "NAME")
      .check([](const std::string& name) {
        return name.size() <= longest_name && stack_name_of(name) == lower_case(name)
                   ? std::string()
                   : format("expected up to 64 letters, digits, '.', '+', '_' and '-'");
      });
  made.value("--output", options->output, "New file; default: standard output", "FILE.json")
      .check([](const std::string& file) {
        return file.empty() ? format("expected the name of a file") : std::string();
      });
  add_sandbox_option(made, options->no_sandbox);
  OptionTable& why = table.part("explain", "Show what the lines of a drafted stack are taken from");
  why.argument("stack", options->explained, "Stack name, or a stack file", "STACK")
      .lists("stacks")
      .required();
  return {[options, &one, &file, &made, &why](Session& session) {
            if (made.is_given) return draft(*options, session);
            if (why.is_given) return explain(*options, session);
            if (one.is_given) return show(*options, session);
            return file.is_given ? check(*options, session) : list_stacks(session);
          },
          body_of({})};
}

}  // namespace topsctl

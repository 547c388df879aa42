// Builds CLI11's parser from a table of options, runs it, and reports its errors in topsctl's
// words.
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t width_of_names = 34;  // in the help

CLI::Option* add_by_target(CLI::App& parser, const Option& option) {
  const std::string names = joined(option.names, ",");
  const auto add = [&](const auto& target) -> CLI::Option* {
    using Target = std::decay_t<decltype(target)>;
    if constexpr (std::is_same_v<Target, ShowsHelp>) {
      return parser.set_help_flag(names, option.description);
    } else if constexpr (std::is_same_v<Target, std::function<void()>>) {
      return parser.add_flag_callback(names, target, option.description)->trigger_on_parse();
    } else if constexpr (std::is_same_v<Target, bool*>) {
      return parser.add_flag(names, *target, option.description);
    } else {
      return parser.add_option(names, *target, option.description)->type_name(option.type_name);
    }
  };
  return std::visit(add, option.target);
}

// CLI11 reads "010" as eight.
std::string without_leading_zeros(std::string& value) {
  const std::size_t first = value.find_first_not_of('0');
  if (first != 0 && is_digits(value)) value.erase(0, std::min(first, value.size() - 1));
  return {};
}

bool is_number(const OptionTarget& target) {
  return std::visit(
      [](const auto& to) {
        using Value = std::remove_pointer_t<std::decay_t<decltype(to)>>;
        return std::is_same_v<Value, std::optional<std::size_t>> ||
               (std::is_integral_v<Value> && !std::is_same_v<Value, bool>);
      },
      target);
}

void add_option(CLI::App& parser, const Option& option) {
  CLI::Option* added = add_by_target(parser, option);
  if (is_number(option.target)) added->transform(CLI::Validator(without_leading_zeros, ""));
  added->group(std::string(translated(option.group)))->required(option.is_required);
  if (!option.is_argument()) added->allow_extra_args(false);
  // CLI11 does not name an option that is not in the help.
  const std::string name = option.group.empty() ? option.names.front() : std::string();
  for (const ValueCheck& check : option.checks) {
    const auto named = [check, name](std::string& value) {
      const std::string wrong = check(value);
      return wrong.empty() || name.empty() ? wrong : concat(name, ": ", wrong);
    };
    added->check(CLI::Validator(named, ""));
  }
}

void fill(CLI::App& parser, const OptionTable& table) {
  for (const Option& option : table.options) add_option(parser, option);
  for (const Option& option : table.options) {
    for (const std::string& other : option.excluded)
      parser.get_option(option.names.front())->excludes(parser.get_option(other));
  }
  for (const auto& part : table.parts) {
    CLI::App* added = parser.add_subcommand(part->name, part->description);
    if (part->is_hidden) added->group("");
    // A command does one thing at a time.
    if (!part->parts.empty()) added->require_subcommand(0, 1);
    fill(*added, *part);
  }
}

std::unique_ptr<CLI::App> parser_for(const OptionTable& program) {
  auto parser = std::make_unique<CLI::App>(program.description, program.name);
  parser->fallthrough();  // the program's options may also follow those of its commands
  parser->get_formatter()->column_width(width_of_names);
  for (const char* label :
       {"Usage", "OPTIONS", "SUBCOMMAND", "SUBCOMMANDS", "Positionals", "Subcommands", "REQUIRED",
        "Excludes"})
    parser->get_formatter()->label(label, std::string(translated(label)));
  fill(*parser, program);
  return parser;
}

void note_given(const CLI::App& parser, OptionTable& table) {
  table.is_given = parser.parsed();
  for (Option& option : table.options)
    option.given = parser.get_option(option.names.front())->results();
  for (const auto& part : table.parts) note_given(*parser.get_subcommand(part->name), *part);
}

const OptionTable* last_given(const CLI::App& parser, const OptionTable& program) {
  const std::vector<CLI::App*> given = parser.get_subcommands();
  for (const auto& part : program.parts) {
    if (!given.empty() && part->name == given.back()->get_name()) return part.get();
  }
  return nullptr;
}

std::string unknown_word(const std::string& word, const OptionTable& program) {
  if (!word.starts_with('-')) return format("unknown argument {}", in_quotes(word));
  std::vector<std::string> known;
  for (const OptionTable* table : {&program, given_command(program)}) {
    if (table == nullptr) continue;
    for (const Option& option : table->options) {
      for (const std::string& name : option.names) {
        if (name.starts_with("--")) known.push_back(name);
      }
    }
  }
  return format("unknown option {}{}", in_quotes(word), did_you_mean(word, known));
}

// The option that accepts one value and was given several; empty: none.
std::string repeated_option(const OptionTable& table) {
  for (const Option& option : table.options) {
    const bool is_list = std::holds_alternative<std::vector<std::string>*>(option.target);
    if (!is_list && !option.is_flag() && option.given.size() > 1) return option.names.front();
  }
  for (const auto& part : table.parts) {
    if (std::string name = repeated_option(*part); !name.empty()) return name;
  }
  return {};
}

// CLI11's message as a sentence of the catalogue.
std::string own_words(std::string message) {
  if (message.starts_with(": ")) message.erase(0, 2);
  constexpr std::string_view lacking = " is required";
  constexpr std::string_view excluding = " excludes ";
  if (message.ends_with(lacking))
    return format("{} is required", message.substr(0, message.size() - lacking.size()));
  if (const auto at = message.find(excluding); at != std::string::npos && message.starts_with('-'))
    return format("{} excludes {}", message.substr(0, at), message.substr(at + excluding.size()));
  if (const auto at = message.find(": 1 required "); message.ends_with(" missing") && at < 64)
    return format("{}: 1 required {} missing", message.substr(0, at),
                  message.substr(at + 13, message.size() - at - 21));
  return message;
}

Error usage_error(const CLI::ParseError& error, const CLI::App& parser,
                  const OptionTable& program) {
  std::string message = own_words(printable(error.what()));
  const OptionTable* command = given_command(program);
  std::string hint;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = parser.remaining(true);
    message = unknown_word(extras.empty() ? "" : extras.front(), program);
    if (command != nullptr && !extras.empty() && !extras.front().starts_with('-'))
      hint = command->extra_word_hint;
  }
  const std::string repeated = repeated_option(program);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && !repeated.empty()) {
    message = format("{} is given more than once", repeated);
  }
  const bool is_sentence = message.size() > 1 && message[0] >= 'A' && message[0] <= 'Z' &&
                           message[1] >= 'a';  // and no name in capital letters
  if (is_sentence) message[0] = static_cast<char>(message[0] - 'A' + 'a');
  const std::string page =
      command == nullptr ? program.name : concat(program.name, " ", command->name);
  if (hint.empty()) hint = format("`{} -h` shows the usage", page);
  return Error(ErrorCode::usage, message, hint);
}

std::string help_after(const CLI::App& parser, const OptionTable& program) {
  const OptionTable* command = given_command(program);
  if (command == nullptr) return parser.help();
  return parser.get_subcommand(command->name)->help(program.name);
}

}  // namespace

ParsedCommandLine parse_command_line(OptionTable& program, const std::vector<std::string>& words) {
  const std::unique_ptr<CLI::App> parser = parser_for(program);
  ParsedCommandLine parsed;
  try {
    parser->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    note_given(*parser, program);
    parsed.command = last_given(*parser, program);
  } catch (const CLI::CallForHelp&) {
    note_given(*parser, program);
    parsed.help = help_after(*parser, program);
  } catch (const CLI::ParseError& error) {
    note_given(*parser, program);
    throw usage_error(error, *parser, program);
  }
  return parsed;
}

const OptionTable* given_command(const OptionTable& program) {
  for (const auto& part : program.parts) {
    if (part->is_given) return part.get();
  }
  return nullptr;
}

}  // namespace topsctl

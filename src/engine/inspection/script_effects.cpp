// Judges the commands of maintainer scripts by what they write.
#include "topsctl/engine/inspection/script_effects.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "engine/inspection/script_lines.hpp"
#include "engine/inspection/shell_commands.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_understood = std::size_t{1} << 20U;  // bytes
constexpr std::size_t longest_shown = 120;                         // characters of a line

using Names = std::set<std::string, std::less<>>;

struct KnownCommands {
  Names writes_nothing;
  Names writes_its_arguments;
  Names writes_known_paths;
  Names services;
  Names asks_services;
  Names kernel_modules;
};

const KnownCommands& known_commands() {
  static const KnownCommands known = [] {
    const char* name = "scripts/commands.json";
    const Json json = parse_json(embedded_file(name).value_or("{}"), name);
    const JsonReader reader(json, name);
    const auto names = [&](const char* key) {
      const std::vector<std::string> texts = reader.at(key).texts();
      return Names(texts.begin(), texts.end());
    };
    return KnownCommands{names("writes_nothing"),     names("writes_its_arguments"),
                         names("writes_known_paths"), names("services"),
                         names("asks_services"),      names("kernel_modules")};
  }();
  return known;
}

// The name by which a command is known; empty: it is none of the system's.
std::string system_name(const ShellWord& word) {
  if (!word.is_literal) return {};
  for (const std::string_view folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    if (word.text.starts_with(folder)) return word.text.substr(folder.size());
  }
  return word.text;
}

// Whether another program would stand there for one that is known.
bool is_known_program(const ShellWord& path) {
  const KnownCommands& known = known_commands();
  const std::string name = system_name(path);
  return name != path.text &&
         (known.writes_nothing.contains(name) || known.writes_its_arguments.contains(name) ||
          known.writes_known_paths.contains(name));
}

bool is_plain_path(const ShellWord& word) {
  return word.is_literal && word.text.starts_with('/') &&
         word.text.find("/../") == std::string::npos && !is_known_program(word);
}

// Variables by which a name comes to mean another program, or a program does something else.
bool changes_programs(std::string_view variable) {
  return variable == "PATH" || variable == "ENV" || variable == "BASH_ENV" || variable == "IFS" ||
         variable.starts_with("LD_") || variable.starts_with("PYTHON") ||
         variable.starts_with("PERL");
}

// Also of what `export` sets, `read` reads, and `unset` takes away.
bool changes_programs(const ShellLine& line) {
  const auto is_such = [](const std::string& variable) { return changes_programs(variable); };
  if (std::any_of(line.variables.begin(), line.variables.end(), is_such)) return true;
  return std::any_of(line.commands.begin(), line.commands.end(), [](const ShellCommand& command) {
    return std::any_of(command.words.begin(), command.words.end(), [](const ShellWord& word) {
      return changes_programs(word.text.substr(0, word.text.find_first_of("+=")));
    });
  });
}

// Options that change more than the paths that are named.
bool is_recursive(const std::string& option) {
  if (option.starts_with("--"))
    return option == "--recursive" || option == "--archive" || option == "--parents";
  return option.find_first_of("rRa") != std::string::npos;
}

bool writes_plain_paths(const std::string& name, const ShellCommand& command) {
  // What chmod and chown set stands first.
  bool is_setting = name == "chmod" || name == "chown" || name == "chgrp";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (!word.is_literal) return false;
    if (word.text.starts_with('-')) {
      if (is_recursive(word.text)) return false;
    } else if (is_setting) {
      is_setting = false;
    } else if (!is_plain_path(word)) {
      return false;
    }
  }
  return true;
}

class EffectsReader {
 public:
  EffectsReader(const std::string& script, ScriptEffects& effects)
      : script_(script), effects_(effects) {}

  void take(const ScriptLine& line) {
    if (line.text.starts_with("#!")) return;
    const ShellLine parsed = shell_line(line.text);
    functions_.insert(parsed.functions.begin(), parsed.functions.end());
    bool is_understood = parsed.is_understood && !changes_programs(parsed);
    for (const ShellCommand& command : parsed.commands)
      is_understood = take_command(command) && is_understood;
    if (!is_understood) note_opaque(line.number, line.text);
  }

  void note_opaque(int line, std::string_view text) {
    effects_.writes = true;
    if (effects_.opaque) return;
    std::string shown = printable(trimmed(text));
    if (shown.size() > longest_shown) shown = concat(shown.substr(0, longest_shown), "...");
    effects_.opaque = OpaqueCommand{script_, line, std::move(shown)};
  }

 private:
  // Whether what it writes can be told.
  bool take_command(const ShellCommand& command) {
    const bool has_known_targets =
        std::all_of(command.targets.begin(), command.targets.end(),
                    [](const ShellWord& word) { return is_plain_path(word); });
    effects_.writes = effects_.writes || writes(command);
    if (command.words.empty()) return has_known_targets;
    return is_known(command) && has_known_targets;
  }

  // Whether it may; of what a function does its own lines tell.
  bool writes(const ShellCommand& command) const {
    const bool has_target = std::any_of(
        command.targets.begin(), command.targets.end(),
        [](const ShellWord& word) { return !word.is_literal || word.text != "/dev/null"; });
    if (has_target) return true;
    if (command.words.empty()) return false;
    const std::string name = system_name(command.words.front());
    return name != "ldconfig" && name != "command" && !functions_.contains(name) &&
           !known_commands().writes_nothing.contains(name);
  }

  bool is_known(const ShellCommand& command) {
    const KnownCommands& known = known_commands();
    const std::string name = system_name(command.words.front());
    if (name.empty()) return false;
    // `command -v` asks, `command` alone runs what it names.
    if (name == "command")
      return command.words.size() > 1 && command.words[1].text.starts_with('-') &&
             command.words[1].text != "-p";
    if (functions_.contains(name) || known.writes_nothing.contains(name) ||
        known.writes_known_paths.contains(name) || name.starts_with("db_"))
      return true;
    if (known.services.contains(name)) {
      const bool only_asks = std::any_of(
          command.words.begin(), command.words.end(),
          [&](const ShellWord& word) { return known.asks_services.contains(word.text); });
      effects_.services = effects_.services || !only_asks;
      return true;
    }
    if (known.kernel_modules.contains(name)) {
      effects_.kernel_modules = true;
      return true;
    }
    if (name == "." || name == "source")
      return command.words.size() == 2 && command.words[1].text == "/usr/share/debconf/confmodule";
    if (name == "exec") return command.words.size() == 1;
    return known.writes_its_arguments.contains(name) && writes_plain_paths(name, command);
  }

  const std::string& script_;
  ScriptEffects& effects_;
  Names functions_;
};

}  // namespace

void ScriptEffects::add(const ScriptEffects& other) {
  services = services || other.services;
  kernel_modules = kernel_modules || other.kernel_modules;
  writes = writes || other.writes;
  if (!opaque) opaque = other.opaque;
}

ScriptEffects effects_of(const std::string& script, std::string_view text) {
  ScriptEffects effects;
  EffectsReader reader(script, effects);
  const bool is_text = !text.starts_with(elf_magic) && text.find('\0') == std::string_view::npos &&
                       text.size() <= longest_understood;
  if (!is_text || script_language(text) != ScriptLanguage::shell) {
    reader.note_opaque(1, is_text ? text.substr(0, text.find('\n')) : std::string_view());
    // Whatever a program does may be to services, too.
    effects.services = effects.kernel_modules = true;
    return effects;
  }
  for (const ScriptLine& line : script_lines(text)) reader.take(line);
  // The same of a program that it runs.
  if (effects.opaque) effects.services = effects.kernel_modules = true;
  return effects;
}

}  // namespace topsctl

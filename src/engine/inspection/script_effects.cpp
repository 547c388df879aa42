// Judges the commands of maintainer scripts by their names.
#include "topsctl/engine/inspection/script_effects.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
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

using Names = std::set<std::string, std::less<>>;

struct KnownCommands {
  Names writes_nothing;
  Names writes_files;
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
    return KnownCommands{names("writes_nothing"), names("writes_files"), names("services"),
                         names("asks_services"), names("kernel_modules")};
  }();
  return known;
}

// The name of a system command; empty for any other command.
std::string system_name(const ShellWord& word) {
  if (!word.is_literal) return {};
  for (const std::string_view folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    if (word.text.starts_with(folder)) return word.text.substr(folder.size());
  }
  return word.text;
}

// Variables that change which program a name runs, or what a program does.
bool changes_programs(std::string_view variable) {
  return variable == "PATH" || variable == "ENV" || variable == "BASH_ENV" || variable == "IFS" ||
         variable.starts_with("LD_") || variable.starts_with("PYTHON") ||
         variable.starts_with("PERL");
}

// Also for variables that `export`, `read` and `unset` change.
bool changes_programs(const ShellLine& line) {
  const auto is_such = [](const std::string& variable) { return changes_programs(variable); };
  if (std::any_of(line.variables.begin(), line.variables.end(), is_such)) return true;
  return std::any_of(line.commands.begin(), line.commands.end(), [](const ShellCommand& command) {
    return std::any_of(command.words.begin(), command.words.end(), [](const ShellWord& word) {
      return changes_programs(word.text.substr(0, word.text.find_first_of("+=")));
    });
  });
}

// The words of the actual command: `command` runs its argument, unless it only queries its path.
std::span<const ShellWord> run_words(const ShellCommand& command) {
  std::span<const ShellWord> words = command.words;
  while (!words.empty() && words.front().text == "command") {
    words = words.subspan(1);
    while (!words.empty() && words.front().text.starts_with('-')) {
      const std::string& option = words.front().text;
      if (option != "-p" && option != "--") return {};
      words = words.subspan(1);
    }
  }
  return words;
}

// Programs that write to a file if given an option.
bool has_output_file(std::string_view name, std::span<const ShellWord> words) {
  const auto is_output = [](const ShellWord& word) {
    const std::string_view text = word.text;
    if (!word.is_literal) return true;
    return text.starts_with("--")
               ? std::string_view("--output").starts_with(text.substr(0, text.find('=')))
               : text.starts_with('-') && text.find('o') != std::string_view::npos;
  };
  if (name == "sort") return std::any_of(words.begin() + 1, words.end(), is_output);
  const auto is_file = [](const ShellWord& word) {
    return word.text == "-" || !word.text.starts_with('-');
  };
  return name == "uniq" && std::count_if(words.begin() + 1, words.end(), is_file) > 1;
}

class EffectsReader {
 public:
  explicit EffectsReader(ScriptEffects& effects) : effects_(effects) {}

  void take(const ScriptLine& line) {
    if (line.text.starts_with("#!")) return;
    const ShellLine parsed = shell_line(line.text);
    functions_.insert(parsed.functions.begin(), parsed.functions.end());
    if (!parsed.is_understood || changes_programs(parsed)) take_unknown();
    for (const ShellCommand& command : parsed.commands) take_command(command);
  }

  // Assumes all effects.
  void take_unknown() { effects_ = {true, true, true}; }

 private:
  void take_command(const ShellCommand& command) {
    const bool has_target = std::any_of(
        command.targets.begin(), command.targets.end(),
        [](const ShellWord& word) { return !word.is_literal || word.text != "/dev/null"; });
    effects_.writes = effects_.writes || has_target;
    const std::span<const ShellWord> words = run_words(command);
    if (words.empty()) return;
    const KnownCommands& known = known_commands();
    const std::string name = system_name(words.front());
    // The effects of a function come from its own lines.
    if (name == "ldconfig" || functions_.contains(name)) return;
    if (known.writes_nothing.contains(name)) {
      effects_.writes = effects_.writes || has_output_file(name, words);
      return;
    }
    effects_.writes = true;
    if (known.writes_files.contains(name) || name.starts_with("db_")) return;
    if (known.services.contains(name)) {
      const bool only_asks = std::any_of(words.begin(), words.end(), [&](const ShellWord& word) {
        return known.asks_services.contains(word.text);
      });
      effects_.services = effects_.services || !only_asks;
    } else if (known.kernel_modules.contains(name)) {
      effects_.kernel_modules = true;
    } else if (!is_harmless(name, words)) {
      take_unknown();
    }
  }

  // Builtins and files that the shell itself runs or reads.
  static bool is_harmless(std::string_view name, std::span<const ShellWord> words) {
    if (name == "." || name == "source")
      return words.size() == 2 && words[1].text == "/usr/share/debconf/confmodule";
    return name == "exec" && words.size() == 1;
  }

  ScriptEffects& effects_;
  Names functions_;
};

}  // namespace

void ScriptEffects::add(const ScriptEffects& other) {
  services = services || other.services;
  kernel_modules = kernel_modules || other.kernel_modules;
  writes = writes || other.writes;
}

ScriptEffects effects_of(std::string_view script) {
  ScriptEffects effects;
  EffectsReader reader(effects);
  const bool is_text = !script.starts_with(elf_magic) &&
                       script.find('\0') == std::string_view::npos &&
                       script.size() <= longest_understood;
  if (!is_text || script_language(script) != ScriptLanguage::shell) {
    reader.take_unknown();
    return effects;
  }
  for (const ScriptLine& line : script_lines(script)) reader.take(line);
  return effects;
}

}  // namespace topsctl

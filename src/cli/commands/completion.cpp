// topsctl completion: scripts that complete commands and options, made from the parser itself.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/cli/command.hpp"
#include "topsctl/cli/validators.hpp"

namespace topsctl {

namespace {

struct Word {
  std::string text;
  std::string description;
};

std::vector<Word> options_of(const CLI::App& parser) {
  std::vector<Word> words;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames())
      words.push_back({concat("--", name), option->get_description()});
    for (const std::string& name : option->get_snames())
      words.push_back({concat("-", name), option->get_description()});
  }
  return words;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string texts(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += concat(out.empty() ? "" : " ", word.text);
  return out;
}

std::string command_names(const CLI::App& program) {
  std::vector<Word> words;
  for (const CLI::App* command : commands_of(program)) words.push_back({command->get_name(), ""});
  return texts(words);
}

std::string for_bash(const CLI::App& program) {
  std::string script = concat(
      "# bash completion of topsctl; load it with: eval \"$(topsctl completion bash)\"\n"
      "_topsctl() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" command=\"\" word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \" ",
      command_names(program),
      " \" in *\" $word \"*) command=\"$word\"; break;; esac\n"
      "  done\n"
      "  local everywhere=\"",
      texts(options_of(program)),
      "\" options=\"\"\n"
      "  case \"$command\" in\n");
  for (const CLI::App* command : commands_of(program)) {
    script +=
        concat("    ", command->get_name(), ") options=\"", texts(options_of(*command)), "\";;\n");
  }
  script += concat("    \"\") COMPREPLY=($(compgen -W \"", command_names(program),
                   " $everywhere\" -- \"$current\")); return;;\n"
                   "  esac\n"
                   "  if [[ \"$command\" == completion && \"$current\" != -* ]]; then\n"
                   "    COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$current\"))\n"
                   "  elif [[ \"$current\" == -* ]]; then\n"
                   "    COMPREPLY=($(compgen -W \"$options $everywhere\" -- \"$current\"))\n"
                   "  else\n"
                   "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
                   "  fi\n"
                   "}\n"
                   "complete -o filenames -F _topsctl topsctl\n");
  return script;
}

std::string zsh_words(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) {
    std::string description;
    for (const char c : word.description) description += c == ':' || c == '\'' ? ' ' : c;
    out += concat(" '", word.text, ":", description, "'");
  }
  return out;
}

std::string for_zsh(const CLI::App& program) {
  std::vector<Word> commands;
  for (const CLI::App* command : commands_of(program))
    commands.push_back({command->get_name(), command->get_description()});
  std::string script = concat(
      "#compdef topsctl\n"
      "# zsh completion of topsctl; load it with: eval \"$(topsctl completion zsh)\"\n"
      "_topsctl() {\n"
      "  local -a commands options everywhere\n"
      "  commands=(",
      zsh_words(commands),
      ")\n"
      "  everywhere=(",
      zsh_words(options_of(program)),
      ")\n"
      "  local command=\"\" word\n"
      "  for word in ${words[2,CURRENT-1]}; do\n"
      "    if (( ${commands[(I)${word}:*]} )); then command=\"$word\"; break; fi\n"
      "  done\n"
      "  case \"$command\" in\n");
  for (const CLI::App* command : commands_of(program)) {
    script += concat("    ", command->get_name(), ") options=(", zsh_words(options_of(*command)),
                     ");;\n");
  }
  script +=
      "    *) _describe command commands; _describe option everywhere; return;;\n"
      "  esac\n"
      "  if [[ \"$command\" == completion ]]; then compadd bash zsh fish; fi\n"
      "  if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
      "    _describe option options; _describe option everywhere\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      "compdef _topsctl topsctl\n";
  return script;
}

std::string fish_line(const std::string& condition, const Word& word) {
  std::string description;
  for (const char c : word.description) description += c == '\'' ? ' ' : c;
  const std::string flag = word.text.starts_with("--") ? concat("-l ", word.text.substr(2))
                                                       : concat("-s ", word.text.substr(1));
  return concat("complete -c topsctl ", condition, flag, " -d '", description, "'\n");
}

std::string for_fish(const CLI::App& program) {
  std::string script =
      "# fish completion of topsctl; load it with: topsctl completion fish | source\n";
  for (const CLI::App* command : commands_of(program)) {
    script += concat("complete -c topsctl -f -n __fish_use_subcommand -a ", command->get_name(),
                     " -d '", command->get_description(), "'\n");
    for (const Word& word : options_of(*command)) {
      script +=
          fish_line(concat("-n '__fish_seen_subcommand_from ", command->get_name(), "' "), word);
    }
  }
  for (const Word& word : options_of(program)) script += fish_line("", word);
  script +=
      "complete -c topsctl -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return for_bash(program);
  if (shell == "zsh") return for_zsh(program);
  return for_fish(program);
}

CommandAction define_completion(CLI::App& parser) {
  auto shell = std::make_shared<std::string>();
  parser.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(one_of({"bash", "zsh", "fish"}));
  const auto run = [shell](Session& session) {
    Output output;
    output.header.command = "completion";
    output.text = completion_script(*session.program, *shell);
    output.json = Json({{"shell", *shell}, {"script", output.text}}).dump();
    return output;
  };
  return {run, Json({{"shell", nullptr}, {"script", nullptr}}).dump()};
}

}  // namespace topsctl

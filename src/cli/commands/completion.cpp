// topsctl completion: scripts that complete commands and options, made from the table of options.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/completion_values.hpp"
#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

struct Word {
  std::string text;
  std::string description;
  std::vector<std::string> values = {};  // that may follow an option
  std::string listed = {};               // the kind of values that `--values` lists
};

std::vector<Word> options_of(const OptionTable& table) {
  std::vector<Word> words;
  for (const Option& option : table.options) {
    if (option.is_argument()) continue;
    for (const std::string& name : option.names)
      words.push_back({name, option.description, option.values, option.listed});
  }
  return words;
}

std::vector<const OptionTable*> commands_of(const OptionTable& program) {
  std::vector<const OptionTable*> commands;
  for (const auto& part : program.parts) {
    if (!part->is_hidden) commands.push_back(part.get());
  }
  return commands;
}

std::vector<Word> names_of(const std::vector<const OptionTable*>& commands) {
  std::vector<Word> names;
  for (const OptionTable* command : commands)
    names.push_back({command->name, command->description});
  return names;
}

// A command, or a part of one with its own name: `history show`.
struct Path {
  const OptionTable* command;
  std::vector<std::string> words;
  std::vector<Word> options;
  std::vector<Word> next;  // words that may follow
  std::string listed;      // the values that `--values` lists
};

std::string listed_argument(const OptionTable& table) {
  for (const Option& option : table.options) {
    if (option.is_argument() && !option.listed.empty()) return option.listed;
  }
  return {};
}

std::vector<Path> paths_of(const OptionTable& program) {
  std::vector<Path> paths;
  for (const OptionTable* command : commands_of(program)) {
    const std::vector<const OptionTable*> parts = commands_of(*command);
    std::vector<Word> next = names_of(parts);
    for (const Option& option : command->options) {
      if (!option.is_argument()) continue;
      for (const std::string& value : option.values) next.push_back({value, ""});
    }
    paths.push_back(
        {command, {command->name}, options_of(*command), next, listed_argument(*command)});
    for (const OptionTable* part : parts)
      paths.push_back(
          {command, {command->name, part->name}, options_of(*part), {}, listed_argument(*part)});
  }
  return paths;
}

// Its options, and those of its parent command; each once.
std::vector<Word> all_options(const Path& path) {
  std::vector<Word> all = path.options;
  for (const Word& word : options_of(*path.command)) {
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&](const Word& w) { return w.text == word.text; });
    if (!is_known) all.push_back(word);
  }
  return all;
}

std::string texts(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) out += concat(out.empty() ? "" : " ", word.text);
  return out;
}

// Lines for both bash and zsh: the typed words that name a command or a part of one.
std::string case_of_word(const OptionTable& program) {
  std::string lines = format(
      "    case \"$command\" in\n    \"\") case \" {} \" in *\" $word \"*) command=\"$word\";; "
      "esac;;\n",
      texts(names_of(commands_of(program))));
  for (const Path& path : paths_of(program)) {
    if (path.next.empty()) continue;
    lines += format("    {}) case \" {} \" in *\" $word \"*) command=\"$command $word\";; esac;;\n",
                    path.words.front(), texts(path.next));
  }
  return lines + "    esac\n";
}

// Case lines for both bash and zsh: the possible values of this option of that command.
std::string cases_of_values(const OptionTable& program, const std::string& form) {
  std::string lines;
  const auto add = [&](const std::string& command, const std::vector<Word>& options) {
    for (const Word& option : options) {
      if (option.values.empty() && option.listed.empty()) continue;
      std::string line = option.listed.empty() ? form : "    \"COMMAND OPTION\") listed=VALUES;;\n";
      line.replace(line.find("COMMAND"), 7, command);
      line.replace(line.find("OPTION"), 6, option.text);
      line.replace(line.find("VALUES"), 6,
                   option.listed.empty() ? joined(option.values, " ") : option.listed);
      // For any command: a star within the quotes would not match.
      if (command == "*") line.replace(line.find("\"* "), 3, "*\" ");
      lines += line;
    }
  };
  for (const Path& path : paths_of(program)) add(joined(path.words, " "), all_options(path));
  add("*", options_of(program));
  return lines;
}

std::string for_bash(const OptionTable& program) {
  std::string script = format(
      "# bash completion of topsctl; load it with: eval \"$(topsctl completion bash)\"\n_topsctl() "
      "{{\n  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" command=\"\" word\n  for word in "
      "\"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n{}  done\n  local everywhere=\"{}\" options=\"\" "
      "next=\"\" follows=\"\" listed=\"\"\n  case \"$command\" in\n",
      case_of_word(program), texts(options_of(program)));
  for (const Path& path : paths_of(program)) {
    script +=
        format("    \"{}\") options=\"{}\" next=\"{}\" follows=\"{}\";;\n", joined(path.words, " "),
               texts(all_options(path)), texts(path.next), path.listed);
  }
  script += format(
      "    \"\") next=\"{} $everywhere\";;\n  esac\n"
      "  local values=\"\"\n  case \"$command ${{COMP_WORDS[COMP_CWORD-1]}}\" in\n{}  esac\n"
      "  [[ -z \"$listed$values\" && \"$current\" != -* ]] && listed=\"$follows\"\n"
      "  if [[ -n \"$listed\" ]]; then\n"
      "    values=\"$(topsctl completion --values \"$listed\" -- "
      "\"${{COMP_WORDS[@]:1:COMP_CWORD}}\" "
      "2>/dev/null || :) $next\"\n  fi\n"
      "  if [[ -n \"$values\" ]]; then\n    COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
      "  elif [[ -n \"$command\" && \"$current\" == -* "
      "]]; then\n    COMPREPLY=($(compgen -W \"$options $everywhere\" -- \"$current\"))\n  elif [[ "
      "-n \"$next\" ]]; then\n    COMPREPLY=($(compgen -W \"$next\" -- \"$current\"))\n  else\n    "
      "COMPREPLY=($(compgen -f -- \"$current\"))\n  fi\n"
      // A stack may be a file, a run a directory; the hosts of a deploy come after a bundle.
      "  [[ \"$listed\" == @(stacks|runs) && ${{#COMPREPLY[@]}} -eq 0 || \"$listed$follows\" == "
      "hostshosts "
      "]] && COMPREPLY+=($(compgen -f -- \"$current\"))\n"
      "  return 0\n}}\ncomplete -o filenames -F _topsctl "
      "topsctl\n",
      texts(names_of(commands_of(program))),
      cases_of_values(program, "    \"COMMAND OPTION\") values=\"VALUES\";;\n"));
  return script;
}

std::string zsh_words(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) {
    std::string description;
    for (const char c : word.description)
      description += c == ':' ? std::string("\\:") : c == '\'' ? "'\\''" : std::string(1, c);
    out += concat(" '", word.text, ":", description, "'");
  }
  return out;
}

std::string for_zsh(const OptionTable& program) {
  std::string script = format(
      "#compdef topsctl\n# zsh completion of topsctl; load it with: eval \"$(topsctl completion "
      "zsh)\"\n_topsctl() {{\n  local follows=\"\" listed=\"\"\n  local -a commands next options "
      "everywhere\n  commands=({})\n  "
      "everywhere=({})\n  local command=\"\" word\n  for word in ${{words[2,CURRENT-1]}}; do\n{}  "
      "done\n  case \"$command\" in\n",
      zsh_words(names_of(commands_of(program))), zsh_words(options_of(program)),
      case_of_word(program));
  for (const Path& path : paths_of(program)) {
    script +=
        format("    \"{}\") options=({}) next=({}) follows=\"{}\";;\n", joined(path.words, " "),
               zsh_words(all_options(path)), zsh_words(path.next), path.listed);
  }
  script +=
      "    \"\") _describe command commands; _describe option everywhere; return;;\n"
      "  esac\n"
      "  local -a values\n"
      "  case \"$command ${words[CURRENT-1]}\" in\n";
  script += cases_of_values(program, "    \"COMMAND OPTION\") values=(VALUES);;\n");
  script +=
      "  esac\n"
      "  [[ -z \"$listed\" && $#values -eq 0 && \"${words[CURRENT]}\" != -* ]] && "
      "listed=\"$follows\"\n"
      "  [[ -n \"$listed\" ]] && values=(${(f)\"$(topsctl completion --values \"$listed\" -- "
      "${words[2,CURRENT]} 2>/dev/null)\"})\n"
      "  [[ \"$listed\" == (stacks|runs) || \"$listed$follows\" == hostshosts ]] && _files\n"
      "  if (( $#values )); then compadd -a values; (( $#next )) && _describe word next; return; "
      "fi\n"
      "  if [[ \"${words[CURRENT]}\" == -* ]]; then\n"
      "    _describe option options; _describe option everywhere\n"
      "  elif (( $#next )); then\n"
      "    _describe word next\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      // As a file of fpath this text is the function's body, and the first completion is this call.
      "if [[ \"${funcstack[1]}\" == _topsctl ]]; then\n"
      "  _topsctl \"$@\"\n"
      "else\n"
      "  compdef _topsctl topsctl\n"
      "fi\n";
  return script;
}

std::string fish_list(const std::string& kind) {
  return format(
      "(topsctl completion --values {} -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)",
      kind);
}

std::string fish_line(const std::string& condition, const Word& word) {
  std::string description;
  for (const char c : word.description)
    description += c == '\'' || c == '\\' ? concat("\\", std::string(1, c)) : std::string(1, c);
  const std::string flag = word.text.starts_with("--") ? concat("-l ", word.text.substr(2))
                                                       : concat("-s ", word.text.substr(1));
  const bool may_be_file = word.listed == "stacks" || word.listed == "runs";
  const std::string values =
      !word.listed.empty() ? format(" -{} -a '{}'", may_be_file ? "r" : "x", fish_list(word.listed))
      : word.values.empty() ? std::string()
                            : format(" -x -a '{}'", joined(word.values, " "));
  return format("complete -c topsctl {}{}{} -d '{}'\n", condition, flag, values, description);
}

std::string for_fish(const OptionTable& program) {
  std::string script =
      "# fish completion of topsctl; load it with: topsctl completion fish | source\n";
  for (const Word& command : names_of(commands_of(program))) {
    script += format("complete -c topsctl -f -n __fish_use_subcommand -a {} -d '{}'\n",
                     command.text, command.description);
  }
  for (const Path& path : paths_of(program)) {
    const std::string seen = format("__fish_seen_subcommand_from {}",
                                    joined(path.words, "; and __fish_seen_subcommand_from "));
    for (const Word& word : path.options) script += fish_line(concat("-n '", seen, "' "), word);
    if (!path.listed.empty())
      script += format("complete -c topsctl{} -n '{}' -a '{}'\n",
                       path.listed == "hosts" ? "" : " -f", seen, fish_list(path.listed));
    for (const Word& word : path.next) {
      script += format(
          "complete -c topsctl -f -n '{}; and not __fish_seen_subcommand_from {}' -a {} -d '{}'\n",
          seen, texts(path.next), word.text, word.description);
    }
  }
  for (const Word& word : options_of(program)) script += fish_line("", word);
  return script;
}

}  // namespace

std::string completion_script(const OptionTable& program, const std::string& shell) {
  if (shell == "bash") return for_bash(program);
  if (shell == "zsh") return for_zsh(program);
  return for_fish(program);
}

namespace {

struct CompletionOptions {
  std::string shell;
  std::string kind;
};

Output listed_values(const CompletionOptions& options, const Session& session) {
  Output output;
  output.header.command = "completion";
  const std::vector<std::string> typed = session.program_words.value_or(std::vector<std::string>());
  std::vector<std::string> values;
  try {
    for (const std::string& value : completion_values(options.kind, session, typed))
      values.push_back(printable(value));
  } catch (const Error&) {
    // Errors must not disturb a user who is typing.
  }
  for (const std::string& value : values) output.text += concat(value, "\n");
  output.is_data = true;
  output.json = {{"shell", nullptr}, {"script", nullptr}, {"values", values}};
  return output;
}

}  // namespace

CommandAction define_completion(OptionTable& table) {
  auto options = std::make_shared<CompletionOptions>();
  table.argument("shell", options->shell, "bash, zsh or fish", "SHELL")
      .choices({"bash", "zsh", "fish"});
  table.value("--values", options->kind, "List values for a word that is being typed", "KIND")
      .choices(completion_kinds())
      .excludes("shell")
      .hidden();
  const auto run = [options](Session& session) {
    if (!options->kind.empty()) return listed_values(*options, session);
    if (options->shell.empty())
      throw Error(ErrorCode::usage, format("{} is required", "shell"),
                  format("`{} -h` shows the usage", "topsctl completion"));
    Output output;
    output.header.command = "completion";
    output.is_data = true;
    output.text = completion_script(*session.program, options->shell);
    output.json = {{"shell", options->shell}, {"script", output.text}, {"values", nullptr}};
    return output;
  };
  return {run, {{"shell", nullptr}, {"script", nullptr}, {"values", nullptr}}};
}

}  // namespace topsctl

// Compares mistyped words with the table of commands.
#include "cli/command_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "cli/command.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// Of apt, dpkg, pip, git, systemctl and the like.
const std::map<std::string_view, std::string_view>& words_of_others() {
  static const std::map<std::string_view, std::string_view> words = {{"uninstall", "rollback"},
                                                                     {"remove", "rollback"},
                                                                     {"undo", "rollback"},
                                                                     {"revert", "rollback"},
                                                                     {"purge", "rollback"},
                                                                     {"list", "history"},
                                                                     {"ls", "history"},
                                                                     {"log", "history"},
                                                                     {"state", "status"},
                                                                     {"check", "verify"},
                                                                     {"test", "verify"},
                                                                     {"info", "inspect"},
                                                                     {"show", "inspect"},
                                                                     {"upgrade", "install"},
                                                                     {"update", "install"},
                                                                     {"diagnose", "doctor"},
                                                                     {"train", "launch"},
                                                                     {"run", "launch"},
                                                                     {"ps", "runs"},
                                                                     {"copy", "transfer"},
                                                                     {"send", "transfer"},
                                                                     {"repair", "recover"},
                                                                     {"environment", "env"},
                                                                     {"top", "watch"}};
  return words;
}

constexpr std::array<std::string_view, 7> changing = {"install", "deploy", "rollback", "recover",
                                                      "confirm", "launch", "transfer"};

std::vector<std::string> candidates_for(std::string_view word) {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) {
    const std::string_view name = row.name;
    const bool is_changing = std::find(changing.begin(), changing.end(), name) != changing.end();
    const bool begins_alike = !word.empty() && name.starts_with(word.front());
    if (row.place != CommandPlace::hidden && (!is_changing || begins_alike))
      names.emplace_back(name);
  }
  return names;
}

}  // namespace

Error unknown_command(std::string_view word) {
  const auto known = words_of_others().find(word);
  if (known != words_of_others().end())
    return Error(
        ErrorCode::usage, format("unknown command {}", in_quotes(word)),
        format("use `topsctl {}`; `topsctl {} -h` shows the usage", known->second, known->second));
  return Error(
      ErrorCode::usage,
      format("unknown command {}{}", in_quotes(word), did_you_mean(word, candidates_for(word))),
      "`topsctl -h` lists the commands");
}

std::string_view page_of(const std::string& command) {
  const std::string name = concat("commands/", command.empty() ? "topsctl" : command, ".md");
  if (used_language() == Language::chinese) {
    if (const auto page = embedded_file(concat("zh/", name))) return *page;
  }
  const auto page = embedded_file(name);
  if (!page) throw unknown_command(command);
  return *page;
}

}  // namespace topsctl

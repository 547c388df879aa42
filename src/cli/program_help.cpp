// Groups the commands.
#include "cli/program_help.hpp"

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

struct Group {
  const char* title;
  std::vector<std::string_view> commands;
};

const std::array<Group, 6>& groups() {
  static const std::array<Group, 6> all = {
      {{"Inspect", {"status", "inspect", "lock", "snapshot", "stack"}},
       {"Install", {"install", "confirm", "verify", "repair"}},
       {"Undo", {"rollback", "recover", "history"}},
       {"Fleet", {"transfer", "deploy"}},
       {"Training", {"bench", "doctor", "env", "launch", "runs", "shim", "watch"}},
       {"topsctl", {"version", "completion", "help"}}}};
  return all;
}

std::string_view summary_of(std::string_view command) {
  for (const CommandRow& row : command_table()) {
    if (row.name == command) return row.summary;
  }
  return {};
}

}  // namespace

std::string program_help(const Style& style) {
  std::string text = concat(
      format("Install Enflame TopsRider and other stacks as one transaction, or not at all\n"),
      style.bold(format("Usage:")), " topsctl [OPTIONS] COMMAND [ARGUMENTS]\n");
  for (const Group& group : groups()) {
    text += concat(style.bold(std::string(translated(group.title))), "\n");
    for (const std::string_view command : group.commands) {
      constexpr std::size_t room = 12;
      text += concat("  ", command, std::string(room - command.size(), ' '),
                     translated(summary_of(command)), "\n");
    }
  }
  text += concat(style.bold(format("Global options")), "\n",
                 "  --json  -q, --quiet  -v, --verbose  --events  --color WHEN  --log-file FILE\n",
                 "  --lang LANG  -h, --help  --version\n");
  text += concat(style.bold(format("Examples")), "\n", "  topsctl inspect BUNDLE\n",
                 "  sudo topsctl install BUNDLE\n", "  sudo topsctl rollback\n",
                 format("`topsctl COMMAND -h` prints short help, `topsctl help COMMAND` the full "
                        "page\n"));
  return text;
}

}  // namespace topsctl

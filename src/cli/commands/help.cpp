// topsctl help: the page of a command.
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/command_names.hpp"
#include "cli/option_table.hpp"
#include "cli/page_text.hpp"

namespace topsctl {

CommandAction define_help(OptionTable& table) {
  auto command = std::make_shared<std::string>();
  Option& name = table.argument("command", *command, "Command name; default: topsctl", "COMMAND");
  // Not choices(), so that another tool's word gets the hint for an unknown command.
  for (const CommandRow& row : command_table()) {
    if (row.place != CommandPlace::hidden && row.define != define_help)
      name.values.emplace_back(row.name);
  }
  table.value(page_option, *command, "Same as COMMAND", "COMMAND").hidden();
  const auto run = [command](Session& session) {
    Output output;
    output.header.command = "help";
    output.json = {{"page", page_of(*command)}};
    if (session.json) return output;
    output.is_data = true;  // a page is not adapted to the reader
    output.text = shown_page(page_of(*command), session.style);
    read_in_pager(output.text, session.style);
    return output;
  };
  return {run, {{"page", nullptr}}};
}

}  // namespace topsctl

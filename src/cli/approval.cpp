// Asks at the terminal, regardless of redirected output.
#include "cli/approval.hpp"

#include "cli/option_table.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/prompter.hpp"

namespace topsctl {

void add_yes_option(OptionTable& table, bool& yes) {
  table.flag("-y,--yes", yes, "Do not ask for confirmation");
}

void accept_yes_option(OptionTable& table, bool& yes) {
  table.flag("-y,--yes", yes, "Accepted, as by the other commands: nothing is asked").hidden();
}

bool is_to_be_asked(const Session& session, bool yes, bool dry_run) {
  return session.is_interactive && !yes && !dry_run;
}

bool is_approved(const std::string& plan, const std::string& question) {
  TerminalPrompter prompter;
  prompter.tell(std::string(trimmed(plan)));
  const auto answer = prompter.ask(question, Echo::on);
  if (!answer) return true;
  const std::string word = lower_case(trimmed(answer->view()));
  return word == "y" || word == "yes";
}

void require_approval(const std::string& plan, const std::string& question) {
  if (is_approved(plan, question)) return;
  throw Error(ErrorCode::interrupted, "nothing was changed: the plan was not approved",
              "answer y, or give --yes");
}

}  // namespace topsctl

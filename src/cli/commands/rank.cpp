// topsctl rank: one process of a training, started by topsctl launch.
#include <memory>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/engine/launch/launcher.hpp"

namespace topsctl {

CommandAction define_rank(OptionTable& table) {
  auto folder = std::make_shared<std::string>();
  table.argument("log-dir", *folder, "Directory of its pipe", "DIR").required();
  const auto run = [folder](Session& session) -> Output {
    if (!session.program_words)
      throw Error(ErrorCode::usage, "no program to run",
                  "use `topsctl launch -- SCRIPT` to start ranks");
    become_rank(*folder, *session.program_words, session.host.environment);
  };
  return {run};
}

}  // namespace topsctl

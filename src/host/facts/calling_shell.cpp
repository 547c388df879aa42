// Passes over sudo between a shell and this process.
#include "topsctl/host/facts/calling_shell.hpp"

#include <unistd.h>

#include "host/facts/process_files.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

CallingShell calling_shell(const std::map<std::string, std::string>& own) {
  constexpr int most_ancestors = 8;
  CallingShell shell{"", own};
  std::string process = concat(::getppid());
  for (int i = 0; i < most_ancestors; ++i) {
    const std::string folder = concat("/proc/", process);
    shell.program = printable(trimmed(process_text(folder + "/comm")));
    if (shell.program != "sudo") break;
    // sudo may have its own process in between: the one that the shell started counts.
    const std::string text = process_text(folder + "/environ");
    if (!text.empty()) shell.environment.clear();
    for (const std::string& entry : split(text, '\0')) {
      const std::size_t equals = entry.find('=');
      if (equals != std::string::npos)
        shell.environment[entry.substr(0, equals)] = entry.substr(equals + 1);
    }
    const std::vector<std::string> status = process_status(folder);
    if (status.size() < 2 || !is_digits(status[1])) break;
    process = status[1];
  }
  return shell;
}

}  // namespace topsctl

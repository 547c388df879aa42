// topsctl version: the program's version and those of its parts.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

std::string body(const std::vector<std::string>& stacks) {
  return Json({{"version", topsctl_version()},
               {"libraries",
                {{"libssh", libssh_version()},
                 {"libarchive", libarchive_version()},
                 {"libcrypto", libcrypto_version()},
                 {"liblzma", liblzma_version()}}},
               {"stacks", stacks}})
      .dump();
}

}  // namespace

CommandAction define_version(OptionTable& /*table*/) {
  const auto run = [](Session&) {
    std::vector<std::string> names;
    Output output;
    output.header.command = "version";
    try {
      for (const Stack& stack : known_stacks()) names.push_back(stack.name);
    } catch (const Error& error) {
      output.header.warnings.push_back(error.message());
    }
    output.json = body(names);
    output.text = concat("topsctl ", topsctl_version(), "\nlibssh ", libssh_version(),
                         ", libarchive ", libarchive_version(), ", libcrypto ", libcrypto_version(),
                         ", liblzma ", liblzma_version(), "\nstacks: ", joined(names, ", "), "\n");
    return output;
  };
  return {run, body({})};
}

}  // namespace topsctl

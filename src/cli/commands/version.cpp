// topsctl version: the program's version and those of its parts.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

std::string version_body(const std::vector<std::string>& stacks) {
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
  const auto run_version = [](Session&) {
    std::vector<std::string> names;
    Output output;
    output.header.command = "version";
    try {
      for (const Stack& stack : known_stacks()) names.push_back(stack.name);
    } catch (const Error& error) {
      output.header.warnings.push_back(error.message());
    }
    output.json = version_body(names);
    output.text =
        format("topsctl {}\nlibssh {}, libarchive {}, libcrypto {}, liblzma {}\nstacks: {}\n",
               topsctl_version(), libssh_version(), libarchive_version(), libcrypto_version(),
               liblzma_version(), joined(names, ", "));
    return output;
  };
  return {run_version, version_body({})};
}

}  // namespace topsctl

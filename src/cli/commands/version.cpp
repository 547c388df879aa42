// topsctl version: the program's version and those of its parts.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "topsctl/base/linked_packages.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/observation/tracing_probe.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {

namespace {

Json version_body(const std::vector<std::string>& stacks) {
  return {{"version", topsctl_version()},
          {"libraries",
           {{"libssh", libssh_version()},
            {"libarchive", libarchive_version()},
            {"libcrypto", libcrypto_version()},
            {"liblzma", liblzma_version()}}},
          {"linked", parse_json(linked_packages(), "linked.json")},
          {"stacks", stacks}};
}

// "libssl-dev 3.0.19-1 (3.0.22-1)"
std::vector<std::string> known_updates() {
  std::vector<std::string> updates;
  const Json linked = parse_json(linked_packages(), "linked.json");
  for (const Json& package : linked.at("packages")) {
    if (package.at("offered").is_null()) continue;
    updates.push_back(concat(package.at("package").get<std::string>(), " ",
                             package.at("version").get<std::string>(), " (",
                             package.at("offered").get<std::string>(), ")"));
  }
  return updates;
}

// The capabilities of topsctl on this host.
std::string host_lines() {
  std::string text = format("packages are read with: {}\n", joined(walls_of_sandbox(), "; "));
  const std::string why_not = why_not_observable();
  text += why_not.empty() ? format("programs of an install are observed\n")
                          : format("programs of an install are not observed: {}\n", why_not);
  return text;
}

}  // namespace

CommandAction define_version(OptionTable& /*table*/) {
  const auto run_version = [](Session& session) {
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
    if (session.detail == Verbosity::verbose) output.text += host_lines();
    if (const auto updates = known_updates(); !updates.empty()) {
      output.header.warnings.push_back(
          format("updates were available for libraries of this program when it was built: {}",
                 joined(updates, ", ")));
    }
    return output;
  };
  return {run_version, version_body({})};
}

}  // namespace topsctl

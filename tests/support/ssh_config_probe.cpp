// Prints what topsctl uses of ssh_config for a host, for the comparison with `ssh -G`:
//
//   FILE TARGET [JUMP]   "keyword value" a line as ssh -G has them, then "warning ..." lines
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <string>

#include "host/network/ssh_settings.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

int print(const std::string& file, const std::string& target_text, const std::string& jump) {
  const Target target = parse_target(target_text);
  SshOptions options;
  options.config = file;
  options.jump = jump;
  for (char** each = environ; *each != nullptr; ++each) {
    char* const equals = std::strchr(*each, '=');
    if (equals != nullptr) options.environment[std::string(*each, equals)] = equals + 1;
  }
  const SshConfig config = ssh_config_for(target, options);
  std::cout << "hostname " << config.host << "\nport " << config.port << "\nuser " << config.user
            << '\n';
  for (const auto& [keyword, values] : config.values) {
    if (keyword == "hostname" || keyword == "port" || keyword == "user") continue;
    // Those that add up are a line each.
    const bool adds_up = keyword == "identityfile" || keyword == "certificatefile";
    std::string line;
    for (const std::string& value : values) {
      if (adds_up)
        std::cout << keyword << ' ' << value << '\n';
      else
        line += " " + value;
    }
    if (!adds_up) std::cout << keyword << line << '\n';
  }
  for (const std::string& setting : unsupported_ssh_settings(target, options))
    std::cout << "warning " << setting << '\n';
  return 0;
}

}  // namespace
}  // namespace topsctl

int main(int count, char** words) {
  if (count < 3) {
    std::cerr << "usage: FILE TARGET [JUMP]\n";
    return 2;
  }
  try {
    return topsctl::print(words[1], words[2], count > 3 ? words[3] : "");
  } catch (const topsctl::Error& error) {
    std::cerr << error.message() << '\n';
    return 1;
  }
}

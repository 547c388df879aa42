// Reads dpkg's configuration and its file of triggers.
#include "topsctl/host/debian/dpkg_side_runs.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_filters.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

bool has_dpkg_overrides(const Host& host) {
  const std::vector<std::string> lines = split(dpkg_configuration(host), '\n');
  return std::any_of(lines.begin(), lines.end(), [](const std::string& each) {
    constexpr std::array<std::string_view, 3> hooks = {"pre-invoke", "post-invoke",
                                                       "status-logger"};
    // How it writes, and which configuration files it keeps.
    constexpr std::array<std::string_view, 5> harmless = {
        "force-unsafe-io", "force-confdef", "force-confold", "force-confnew", "force-confmiss"};
    const std::string_view line = trimmed(each);
    if (line.starts_with("force-"))
      return std::find(harmless.begin(), harmless.end(), line) == harmless.end();
    return std::any_of(hooks.begin(), hooks.end(),
                       [&](std::string_view hook) { return line.starts_with(hook); });
  });
}

// Each line is a path, a blank and a package.
std::vector<std::string> trigger_paths(const Host& host) {
  constexpr std::uint64_t most = 16U << 20U;
  const std::string file = concat(dpkg_directory, "/triggers/File");
  std::vector<std::string> paths;
  for (std::string& line :
       split(read_text_if_present(host.resolve(file), most).value_or(""), '\n')) {
    line.resize(std::min(line.size(), line.rfind(' ')));
    if (!line.empty()) paths.push_back(std::move(line));
  }
  return paths;
}

}  // namespace topsctl

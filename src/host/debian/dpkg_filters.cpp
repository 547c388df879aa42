// Reads dpkg's filters.
#include "topsctl/host/debian/dpkg_filters.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

void DpkgFilters::take(const std::string& text) {
  for (const std::string& each : split(text, '\n')) {
    const std::string_view line = trimmed(each);
    for (const auto& [key, excludes] :
         {std::pair{std::string_view("path-exclude"), true}, {"path-include", false}}) {
      if (!line.starts_with(key) || line.size() <= key.size()) continue;
      const char mark = line[key.size()];
      if (mark != '=' && mark != ' ' && mark != '\t') continue;
      filters_.push_back({std::string(trimmed(line.substr(key.size() + 1))), excludes});
    }
  }
}

bool DpkgFilters::leaves_out(const std::string& path) const {
  bool is_out = false;
  for (const Filter& filter : filters_) {
    if (::fnmatch(filter.pattern.c_str(), path.c_str(), 0) == 0) is_out = filter.excludes;
  }
  return is_out;
}

std::string dpkg_configuration(const Host& host) {
  constexpr const char* folder = "/etc/dpkg/dpkg.cfg.d";
  constexpr std::uint64_t most = 1U << 20U;
  std::vector<std::string> names;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.resolve(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    // dpkg accepts only names of letters, digits, '_' and '-'.
    std::string name = at->path().filename().string();
    if (name.find_first_of(".~#") == std::string::npos) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) {
    text += read_text_if_present(host.resolve(concat(folder, "/", name)), most).value_or("");
    text.push_back('\n');
  }
  return text + read_text_if_present(host.resolve("/etc/dpkg/dpkg.cfg"), most).value_or("");
}

DpkgFilters read_dpkg_filters(const Host& host) {
  DpkgFilters filters;
  filters.take(dpkg_configuration(host));
  return filters;
}

}  // namespace topsctl

// Files that dpkg skips when it unpacks: path-exclude and path-include of its configuration.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// dpkg(1), --path-exclude: minimal systems and container images exclude documentation with it.
class DpkgFilters {
 public:
  DpkgFilters() = default;
  // Adds the lines `path-exclude=PATTERN` and `path-include=PATTERN` of one configuration file.
  void take(const std::string& text);
  // Whether an absolute path is excluded; the last matching pattern decides.
  bool leaves_out(const std::string& path) const;

 private:
  struct Filter {
    std::string pattern;  // of fnmatch(3), '*' also for '/'
    bool excludes = true;
  };
  std::vector<Filter> filters_;
};

// /etc/dpkg/dpkg.cfg.d and /etc/dpkg/dpkg.cfg, in the order in which dpkg reads them.
std::string dpkg_configuration(const Host& host);
// The filters of that configuration.
DpkgFilters read_dpkg_filters(const Host& host);

}  // namespace topsctl

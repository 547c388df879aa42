// Where the members of a wheel are installed under an interpreter's scheme.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct WheelPlace {
  std::string folder;    // one of the scheme's, or that of the distribution's headers
  std::string relative;  // below it
  bool is_script = false;
  std::string path() const { return folder + "/" + relative; }
  bool operator==(const WheelPlace&) const = default;
};

// The place of a member as the archive names it; `relative` is empty for what no installer knows a
// place for. read_wheel_metadata() has filled `package`.
WheelPlace place_of(std::string_view member, const Package& package, const InstallScheme& scheme);

// The site directory that gets the metadata and all that is not in .data.
const std::string& library_folder(const Package& package, const InstallScheme& scheme);

}  // namespace topsctl

// The destinations of a wheel's members under an interpreter's scheme.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct WheelPlace {
  std::string folder;    // one of the scheme's, or the distribution's header directory
  std::string relative;  // below it
  bool is_script = false;
  std::string path() const { return folder + "/" + relative; }
  bool operator==(const WheelPlace&) const = default;
};

// The destination of a member by its archive name; `relative` is empty if it has no defined
// destination. read_wheel_metadata() must have filled `package`.
WheelPlace place_of(std::string_view member, const Package& package, const InstallScheme& scheme);

// The site directory for the metadata and all members outside .data.
const std::string& library_folder(const Package& package, const InstallScheme& scheme);

}  // namespace topsctl

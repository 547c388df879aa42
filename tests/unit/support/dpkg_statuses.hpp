// States of packages for tests, by the words that dpkg has for them.
#pragma once

#include <string_view>

#include "topsctl/base/dpkg_status.hpp"

namespace topsctl {

inline DpkgStatus dpkg_status(std::string_view text) {
  return parse_dpkg_status(text).value();
}

}  // namespace topsctl

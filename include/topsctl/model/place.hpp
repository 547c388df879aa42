// How messages and reports name a file that may lie within archives.
#pragma once

#include <string>
#include <vector>

namespace topsctl {

// "outer.run > inner.tar.xz > sdk/x.deb", printable; `container` is outermost first.
std::string place_text(const std::vector<std::string>& container, const std::string& path);

}  // namespace topsctl

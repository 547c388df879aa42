// The name of a file in messages and reports, with the archives that contain it.
#pragma once

#include <string>
#include <vector>

namespace topsctl {

// "outer.run > inner.tar.xz > sdk/x.deb", printable; `container` is outermost first.
std::string place_text(const std::vector<std::string>& container, const std::string& path);

}  // namespace topsctl

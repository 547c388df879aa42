// The Debian packages whose code is in this executable; the build makes the source.
#pragma once

#include <string_view>

namespace topsctl {

// A JSON object: `archive` ("asked" for updates by the build, or "not asked") and `packages`, empty
// unless the executable is static.
std::string_view linked_packages();

}  // namespace topsctl

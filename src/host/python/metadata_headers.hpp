// The headers of METADATA and WHEEL.
#pragma once

#include <string_view>

#include "topsctl/host/content/stanza.hpp"

namespace topsctl {

// As Python's email parser finds them, and so pip: they end before the first line that is none,
// whatever follows. A file that begins with a blank line has none.
Stanza metadata_headers(std::string_view text);

}  // namespace topsctl

// The headers of METADATA and WHEEL.
#pragma once

#include <string_view>

#include "topsctl/host/content/stanza.hpp"

namespace topsctl {

// Like Python's email parser, and so pip: the headers end before the first line that is not a
// header. A file that begins with a blank line has none.
Stanza metadata_headers(std::string_view text);

}  // namespace topsctl

// Checks control files as dpkg's parser does: deb-control(5).
#pragma once

#include <string>
#include <string_view>

#include "topsctl/host/content/stanza.hpp"

namespace topsctl {

// The one paragraph of a control file, values as those of parse_stanza(). Throws DpkgRefusal,
// naming `subject`: for text that is not paragraph and field by dpkg's rules, fields that come
// twice or may not stand there, and values that dpkg refuses (names, versions, relations, yes or
// no).
Stanza read_control_file(std::string_view text, const std::string& subject);

}  // namespace topsctl

// Checks control files as dpkg's parser does: deb-control(5).
#pragma once

#include <string>
#include <string_view>

#include "topsctl/host/content/stanza.hpp"

namespace topsctl {

// The one paragraph of a control file, values like those of parse_stanza(). Throws DpkgRefusal with
// `subject`: for text that is not a valid paragraph by dpkg's rules, duplicate or unexpected
// fields, and values that dpkg rejects (names, versions, relations, yes or no).
Stanza read_control_file(std::string_view text, const std::string& subject);

}  // namespace topsctl

// What stands in a record of a launch in the place of a secret.
#pragma once

#include <string>
#include <string_view>

namespace topsctl {

// "[secret 0123456789abcdef]": tells whether a value is the same one, not what it is. The name of
// the run is in it, so that two runs do not tell that they had the same.
std::string secret_mark(std::string_view run, std::string_view value);

// Whether a word of a record has a secret left out.
bool has_secret_mark(std::string_view word);

}  // namespace topsctl

// What stands in a record of a launch in the place of a secret.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// "[secret 0123456789abcdef]": tells whether a value is the same one, not what it is. The name of
// the run is in it, so that two runs do not tell that they had the same.
std::string secret_mark(std::string_view run, std::string_view value);

// Puts marks in the place of secrets: of "NAME=VALUE", "--name=VALUE", "--name VALUE", and of what
// has a secret's form.
void mark_secrets(std::vector<std::string>& words, std::string_view run);
// The value of this variable, or its mark.
std::string value_or_mark(std::string_view run, std::string_view name, const std::string& value);

// Whether a word of a record has a secret left out.
bool has_secret_mark(std::string_view word);

}  // namespace topsctl

// Marks that replace secrets in the record of a launch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// "[secret 0123456789abcdef]": shows whether two values are equal without revealing them. The hash
// includes the name of the run, so that marks of different runs cannot be compared.
std::string secret_mark(std::string_view run, std::string_view value);

// Replaces secrets by marks: in "NAME=VALUE", "--name=VALUE", "--name VALUE", and words that look
// like a secret.
void mark_secrets(std::vector<std::string>& words, std::string_view run);
// The value of this variable, or its mark if it is a secret.
std::string value_or_mark(std::string_view run, std::string_view name, const std::string& value);

// Whether a word of a record has a mark.
bool has_secret_mark(std::string_view word);

}  // namespace topsctl

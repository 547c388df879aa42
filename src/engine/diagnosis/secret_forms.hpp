// The forms of secrets, from src/data/secrets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

struct SecretForm {
  std::string kind;
  std::vector<std::string> words;  // in lower case; every text of this form contains one of them
  Pattern pattern;                 // its first group is the secret
  double entropy = 0;              // bits per character that a secret has at least
  std::size_t least = 1;           // bytes

  // The first secret at or after `from`; the pattern's match may begin earlier.
  std::optional<Pattern::Range> find(std::string_view text, std::size_t from) const;
  // Whether one of its words is in the text, which is in lower case.
  bool may_be_in(std::string_view lower) const;
};

// In the order in which they are looked for; parsed once.
const std::vector<SecretForm>& secret_forms();
// A text whose secret is on the next line: "password: |".
const Pattern& waiting_for_secret();
// Names of variables and options whose values are secrets.
const Pattern& secret_names();

}  // namespace topsctl

// Translates earlier messages of topsctl into the current language.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/catalogue.hpp"

namespace topsctl {

// Finds the sentence that `text` was made from and its values, and formats it in `language`. A text
// that is not topsctl's is returned unchanged. If several sentences fit, uses the one with the most
// words of its own. `catalogue`: English to Chinese.
std::string retold(std::string_view text, Language language, const Translations& catalogue);
// The same in the current language, by the sentences of src/data/languages. Slow: use it only for
// texts that are read rarely.
std::string retold(std::string_view text);

}  // namespace topsctl

// What topsctl has said before, in the language that is used now.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/base/catalogue.hpp"

namespace topsctl {

// Finds the sentence that `text` is, with what stands in its places, and says it again; a text of
// somebody else stays as it is. Of several sentences that fit, the one with the most words of its
// own. `language`: to say it in. `catalogue`: English to Chinese.
std::string retold(std::string_view text, Language language, const Translations& catalogue);
// In the language that is used, by the sentences of src/data/languages. Slow: for what is read
// seldom.
std::string retold(std::string_view text);

}  // namespace topsctl

// Translations of topsctl's messages, by their English text.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

enum class Language { english, chinese };

// The language of `--lang`: "en" or "zh".
std::string_view name(Language language);
// The language that LC_ALL, LC_MESSAGES or LANG selects, in this order (POSIX, Environment
// Variables).
Language language_of(const std::map<std::string, std::string>& environment);
// The language of `--lang` on a command line, else that of the environment.
Language asked_language(const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& environment);

// English sentences, as in the source, and their translations. A translation has the same
// placeholders; it may number them ("{1} ... {0}") to change their order.
using Translations = std::map<std::string, std::string, std::less<>>;

// Why a translation cannot replace its sentence; empty if it can. Both must have the same
// placeholders.
std::string why_untranslatable(std::string_view sentence, std::string_view translation);

// The entries of a file in gettext's PO form, each on one line of msgid and one of msgstr.
Translations parse_po(std::string_view text);

// Sets the language of the whole process; call it once, before threads start. Loads the sentences
// from src/data/languages.
void use_language(Language language);
Language used_language();

// Sets the catalogue of the whole process; call it once, before threads start. Skips translations
// that cannot replace their sentence.
void use_catalogue(Translations catalogue);

// The translation of a sentence, or the sentence itself. Lives as long as the process, or as
// `sentence`.
std::string_view translated(std::string_view sentence);
// The same for a text that may not be topsctl's: a single word is not translated.
std::string_view translated_text(std::string_view text);

}  // namespace topsctl

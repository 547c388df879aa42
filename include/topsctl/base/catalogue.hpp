// What topsctl says in another language: sentences by their English text.
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
// That which LC_ALL, LC_MESSAGES or LANG asks for, in this order (POSIX, Environment Variables).
Language language_of(const std::map<std::string, std::string>& environment);
// That of `--lang` on a command line, else that of the environment.
Language asked_language(const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& environment);

// English sentences, as they stand in the source, and what is said instead. A translation has the
// same places; it may number them ("{1} ... {0}") to change their order.
using Translations = std::map<std::string, std::string, std::less<>>;

// Why a translation cannot stand for its sentence: empty if it can. The places of both must be the
// same.
std::string why_untranslatable(std::string_view sentence, std::string_view translation);

// The entries of a file in gettext's PO form, each on one line of msgid and one of msgstr.
Translations parse_po(std::string_view text);

// From now on topsctl speaks this language, in the whole process; call it once, before threads
// start. Sentences come from src/data/languages.
void use_language(Language language);
Language used_language();

// From now on these are used, in the whole process; call it once, before threads start. A
// translation that cannot stand for its sentence is left out.
void use_catalogue(Translations catalogue);

// The translation of a sentence, or the sentence itself. Lives as long as the process, or as
// `sentence`.
std::string_view translated(std::string_view sentence);
// The same for a text that may be one of topsctl's or somebody else's: of one word, it is left
// alone.
std::string_view translated_text(std::string_view text);

}  // namespace topsctl

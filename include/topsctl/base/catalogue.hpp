// What topsctl says in another language: sentences by their English text.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace topsctl {

// English sentences, as they stand in the source, and what is said instead. A translation has the
// same places; it may number them ("{1} ... {0}") to change their order.
using Catalogue = std::map<std::string, std::string, std::less<>>;

// Why a translation cannot stand for its sentence: empty if it can. The places of both must be the
// same.
std::string why_untranslatable(std::string_view sentence, std::string_view translation);

// From now on these are used, in the whole process; call it once, before threads start. A
// translation that cannot stand for its sentence is left out.
void use_catalogue(Catalogue catalogue);

// The translation of a sentence, or the sentence itself. Lives as long as the process, or as
// `sentence`.
std::string_view translated(std::string_view sentence);

}  // namespace topsctl

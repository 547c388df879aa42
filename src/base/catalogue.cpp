// Holds the sentences of the language that is used.
#include "topsctl/base/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

Catalogue& used() {
  static Catalogue catalogue;
  return catalogue;
}

// The numbers of the places in order of appearance; nothing if braces are wrong, or plain and
// numbered places are mixed.
std::optional<std::vector<std::size_t>> places_of(std::string_view text) {
  std::vector<std::size_t> places;
  bool plain = false;
  bool numbered = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' && text[i] != '}') continue;
    if (i + 1 < text.size() && text[i + 1] == text[i]) {
      ++i;
      continue;
    }
    if (text[i] == '}') return std::nullopt;
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view number = text.substr(i + 1, end - i - 1);
    if (number.empty()) {
      plain = true;
      places.push_back(places.size());
    } else {
      if (number.size() > 1 || number[0] < '0' || number[0] > '9') return std::nullopt;
      numbered = true;
      places.push_back(static_cast<std::size_t>(number[0] - '0'));
    }
    i = end;
  }
  if (plain && numbered) return std::nullopt;
  return places;
}

}  // namespace

std::string why_untranslatable(std::string_view sentence, std::string_view translation) {
  auto wanted = places_of(sentence);
  auto given = places_of(translation);
  if (!wanted || !given) return "braces that are no places";
  std::sort(given->begin(), given->end());
  std::sort(wanted->begin(), wanted->end());
  return *wanted == *given ? "" : "other places than in the English sentence";
}

void use_catalogue(Catalogue catalogue) {
  std::erase_if(catalogue, [](const auto& entry) {
    return entry.second.empty() || !why_untranslatable(entry.first, entry.second).empty();
  });
  used() = std::move(catalogue);
}

std::string_view translated(std::string_view sentence) {
  const auto found = used().find(sentence);
  return found == used().end() ? sentence : std::string_view(found->second);
}

}  // namespace topsctl

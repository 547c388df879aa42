// Holds the sentences of the current language.
#include "topsctl/base/catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

Translations& used() {
  static Translations catalogue;
  return catalogue;
}

Language& language_in_use() {
  static Language language = Language::english;
  return language;
}

// Decodes the text between the quotes of a PO line.
std::string unescaped(std::string_view quoted) {
  std::string text;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 1 < quoted.size()) {
      ++i;
      text.push_back(quoted[i] == 'n' ? '\n' : quoted[i] == 't' ? '\t' : quoted[i]);
    } else {
      text.push_back(quoted[i]);
    }
  }
  return text;
}

// The text of a line such as msgid "text".
std::optional<std::string> po_text(std::string_view line, std::string_view keyword) {
  if (!line.starts_with(keyword) || !line.ends_with('"')) return std::nullopt;
  line.remove_prefix(keyword.size());
  if (!line.starts_with(" \"") || line.size() < 3) return std::nullopt;
  return unescaped(line.substr(2, line.size() - 3));
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

std::string_view name(Language language) {
  return language == Language::chinese ? "zh" : "en";
}

Language language_of(const std::map<std::string, std::string>& environment) {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const auto value = environment.find(variable);
    if (value == environment.end() || value->second.empty()) continue;
    return value->second.starts_with("zh") ? Language::chinese : Language::english;
  }
  return Language::english;
}

Language asked_language(const std::vector<std::string>& words,
                        const std::map<std::string, std::string>& environment) {
  Language language = language_of(environment);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string_view value;
    if (words[i].starts_with("--lang=")) value = std::string_view(words[i]).substr(7);
    if (words[i] == "--lang" && i + 1 < words.size()) value = words[i + 1];
    if (value == "zh") language = Language::chinese;
    if (value == "en") language = Language::english;
  }
  return language;
}

Translations parse_po(std::string_view text) {
  Translations catalogue;
  std::optional<std::string> sentence;
  for (const std::string& line : split(text, '\n')) {
    if (auto id = po_text(line, "msgid")) {
      sentence = std::move(id);
    } else if (auto translation = po_text(line, "msgstr"); translation && sentence) {
      if (!sentence->empty()) catalogue.emplace(*sentence, *translation);
      sentence.reset();
    }
  }
  return catalogue;
}

void use_language(Language language) {
  language_in_use() = language;
  const auto file = embedded_file(concat("languages/", name(language), ".po"));
  use_catalogue(file ? parse_po(*file) : Translations());
}

Language used_language() {
  return language_in_use();
}

std::string why_untranslatable(std::string_view sentence, std::string_view translation) {
  auto wanted = places_of(sentence);
  auto given = places_of(translation);
  if (!wanted && !given) return "";  // no format, such as the description of an option
  if (!wanted || !given) return "braces that are no places";
  std::sort(given->begin(), given->end());
  std::sort(wanted->begin(), wanted->end());
  return *wanted == *given ? "" : "other places than in the English sentence";
}

void use_catalogue(Translations catalogue) {
  std::erase_if(catalogue, [](const auto& entry) {
    return entry.second.empty() || !why_untranslatable(entry.first, entry.second).empty();
  });
  used() = std::move(catalogue);
}

std::string_view translated(std::string_view sentence) {
  const auto found = used().find(sentence);
  return found == used().end() ? sentence : std::string_view(found->second);
}

std::string_view translated_text(std::string_view text) {
  return text.find(' ') == std::string_view::npos ? text : translated(text);
}

}  // namespace topsctl

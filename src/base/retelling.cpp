// Matches texts with sentences.
#include "topsctl/base/retelling.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// A sentence in pieces: literal text, and between two pieces a placeholder of this number.
struct Form {
  std::vector<std::string> pieces;
  std::vector<std::size_t> places;
  std::size_t own = 0;  // bytes of the pieces
};

Form form_of(std::string_view sentence) {
  Form form;
  form.pieces.emplace_back();
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const bool is_doubled = i + 1 < sentence.size() && sentence[i + 1] == sentence[i];
    const std::size_t end = sentence.find('}', i);
    if (sentence[i] != '{' || is_doubled || end == std::string_view::npos) {
      form.pieces.back().push_back(sentence[i]);
      if ((sentence[i] == '{' || sentence[i] == '}') && is_doubled) ++i;
      continue;
    }
    form.places.push_back(end == i + 1 ? form.places.size()
                                       : static_cast<std::size_t>(sentence[i + 1] - '0'));
    form.pieces.emplace_back();
    i = end;
  }
  for (const std::string& piece : form.pieces) form.own += piece.size();
  return form;
}

// The values of the placeholders, by their numbers; nothing if the text does not match the
// sentence.
std::optional<std::vector<std::string_view>> filled(const Form& form, std::string_view text) {
  if (!text.starts_with(form.pieces.front())) return std::nullopt;
  if (form.places.empty())
    return text == form.pieces.front() ? std::optional(std::vector<std::string_view>())
                                       : std::nullopt;
  std::vector<std::string_view> found(form.places.size());
  std::size_t at = form.pieces.front().size();
  for (std::size_t i = 0; i < form.places.size(); ++i) {
    const std::string& next = form.pieces[i + 1];
    const bool is_last = i + 1 == form.places.size();
    if (is_last && (!text.ends_with(next) || text.size() < at + next.size())) return std::nullopt;
    const std::size_t end = is_last ? text.size() - next.size() : text.find(next, at);
    if (end == std::string_view::npos || form.places[i] >= found.size()) return std::nullopt;
    found[form.places[i]] = text.substr(at, end - at);
    if (found[form.places[i]].find('\n') != std::string_view::npos) return std::nullopt;
    // Of a longer text: "ID: TITLE: PATH is missing" is no "{} is missing".
    const std::string_view value = found[form.places[i]];
    if (!next.empty() && (value.find(": ") != std::string_view::npos ||
                          (value.ends_with(':') && next.starts_with(' '))))
      return std::nullopt;
    at = end + next.size();
  }
  return found;
}

std::string said(const Form& form, const std::vector<std::string>& arguments) {
  std::string text = form.pieces.front();
  for (std::size_t i = 0; i < form.places.size(); ++i)
    text += concat(arguments.at(form.places[i]), form.pieces[i + 1]);
  return text;
}

struct Sentence {
  Form from;
  Form to;
};

// Sentences with the most words of their own first. Omits those with hardly any, because they match
// everything.
std::vector<Sentence> sentences_into(Language language, const Translations& catalogue) {
  constexpr std::size_t least_own = 6;
  std::vector<Sentence> sentences;
  for (const auto& [english, chinese] : catalogue) {
    if (chinese.empty() || !why_untranslatable(english, chinese).empty()) continue;
    Sentence sentence{form_of(english), form_of(chinese)};
    if (language == Language::english) std::swap(sentence.from, sentence.to);
    // A word alone may be data: "root", "stage".
    const bool is_word = sentence.from.places.empty() && language == Language::chinese &&
                         english.find(' ') == std::string::npos;
    if (!is_word && (sentence.from.own >= least_own || sentence.from.places.empty()))
      sentences.push_back(std::move(sentence));
  }
  std::stable_sort(sentences.begin(), sentences.end(),
                   [](const Sentence& a, const Sentence& b) { return a.from.own > b.from.own; });
  return sentences;
}

std::string retold_by(std::string_view text, const std::vector<Sentence>& sentences, int depth) {
  constexpr int most_depth = 8;
  if (depth == most_depth || text.empty()) return std::string(text);
  for (const Sentence& sentence : sentences) {
    const auto found = filled(sentence.from, text);
    if (!found) continue;
    std::vector<std::string> arguments;
    for (const std::string_view each : *found)
      arguments.push_back(retold_by(each, sentences, depth + 1));
    return said(sentence.to, arguments);
  }
  // Sentences that were joined.
  for (const std::string_view mark : {"\n", "; ", ": "}) {
    const std::size_t end = text.find(mark);
    if (end == std::string_view::npos) continue;
    return concat(retold_by(text.substr(0, end), sentences, depth + 1), mark,
                  retold_by(text.substr(end + mark.size()), sentences, depth + 1));
  }
  return std::string(text);
}

}  // namespace

std::string retold(std::string_view text, Language language, const Translations& catalogue) {
  return retold_by(text, sentences_into(language, catalogue), 0);
}

std::string retold(std::string_view text) {
  static const std::vector<Sentence> sentences = [] {
    const auto file = embedded_file(concat("languages/", name(Language::chinese), ".po"));
    return sentences_into(used_language(), file ? parse_po(*file) : Translations());
  }();
  return retold_by(text, sentences, 0);
}

}  // namespace topsctl

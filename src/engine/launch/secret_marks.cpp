// Marks by digest.
#include "topsctl/engine/launch/secret_marks.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/redaction.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::string_view mark_begin = "[secret ";
constexpr std::size_t mark_digits = 16;

// "api-key" of "--api-key".
std::string_view bare_name(std::string_view word) {
  while (word.starts_with('-')) word.remove_prefix(1);
  return word;
}

}  // namespace

std::string secret_mark(std::string_view run, std::string_view value) {
  return concat(mark_begin, sha256_of(concat(run, "\n", value)).substr(0, mark_digits), "]");
}

void mark_secrets(std::vector<std::string>& words, std::string_view run) {
  bool is_value = false;
  for (std::string& word : words) {
    const auto equals = word.find('=');
    const bool is_secret = is_secret_name(bare_name(std::string_view(word).substr(0, equals)));
    const bool was_value = is_value && !word.starts_with('-');
    is_value = is_secret && equals == std::string::npos && word.starts_with('-');
    const bool is_assigned = is_secret && equals != std::string::npos;
    if (!was_value && !is_assigned && Redaction(Addresses::shown).line(word) == word) continue;
    const std::size_t begin = was_value || equals == std::string::npos ? 0 : equals + 1;
    word = word.substr(0, begin) + secret_mark(run, word.substr(begin));
  }
}

std::string value_or_mark(std::string_view run, std::string_view name, const std::string& value) {
  return is_secret_name(name) ? secret_mark(run, value) : value;
}

bool has_secret_mark(std::string_view word) {
  return word.find(mark_begin) != std::string_view::npos;
}

}  // namespace topsctl

// Finds secrets by the names before them and by their forms.
#include "engine/launch/recorded_secrets.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/engine/diagnosis/redaction.hpp"
#include "topsctl/engine/launch/secret_marks.hpp"

namespace topsctl {

namespace {

// "api-key" of "--api-key".
std::string_view bare_name(std::string_view word) {
  while (word.starts_with('-')) word.remove_prefix(1);
  return word;
}

// "NAME=VALUE", "--name=VALUE", "--name VALUE", and what has a secret's form.
void leave_out_of_words(Json& words, const std::string& run) {
  bool is_value = false;
  for (Json& each : words) {
    const std::string word = each.get<std::string>();
    const auto equals = word.find('=');
    const std::string_view name = bare_name(std::string_view(word).substr(0, equals));
    const bool is_secret = is_secret_name(name);
    const bool was_value = is_value && !word.starts_with('-');
    is_value = is_secret && equals == std::string::npos && word.starts_with('-');
    const bool is_assigned = is_secret && equals != std::string::npos;
    if (!was_value && !is_assigned && Redaction(Addresses::shown).line(word) == word) continue;
    const std::size_t begin = was_value || equals == std::string::npos ? 0 : equals + 1;
    each = word.substr(0, begin) + secret_mark(run, word.substr(begin));
  }
}

}  // namespace

void leave_out_secrets(Json& record) {
  const std::string run = record.at("run").get<std::string>();
  for (const char* place : {"/request/words", "/request/set", "/plan/words", "/plan/argv"})
    leave_out_of_words(record.at(Json::json_pointer(place)), run);
  for (auto& [name, value] : record.at("environment").at("set").items()) {
    if (is_secret_name(name)) value = secret_mark(run, value.get<std::string>());
  }
}

}  // namespace topsctl

// Loads the forms of secrets from the embedded data, and checks the entropy of matches.
#include "engine/diagnosis/secret_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr const char* data_file = "secrets/forms.json";
constexpr std::int64_t most_least = 1000;
constexpr std::int64_t most_millibits = 8000;  // of a byte

struct Forms {
  Pattern names;
  Pattern waiting;
  std::vector<SecretForm> forms;
};

SecretForm form_in(const JsonReader& reader) {
  reader.expect_keys({"kind", "words", "pattern", "millibits", "least"});
  SecretForm form{reader.at("kind").text(), reader.at("words").texts(),
                  Pattern(reader.at("pattern").text())};
  if (const auto entropy = reader.find("millibits"))
    form.entropy = static_cast<double>(entropy->integer(1, most_millibits)) / 1000;
  if (const auto least = reader.find("least"))
    form.least = static_cast<std::size_t>(least->integer(1, most_least));
  return form;
}

Forms read_forms() {
  const auto text = embedded_file(data_file);
  if (!text) throw Error(ErrorCode::internal, format("{} is missing", in_quotes(data_file)));
  const Json document = parse_json(*text, data_file);
  const JsonReader reader(document, data_file);
  reader.expect_keys({"names", "waiting", "forms"});
  Forms forms{Pattern(reader.at("names").text()), Pattern(reader.at("waiting").text()), {}};
  for (const JsonReader& form : reader.at("forms").items()) forms.forms.push_back(form_in(form));
  return forms;
}

const Forms& forms() {
  static const Forms all = read_forms();
  return all;
}

// Shannon's, in bits per character.
double entropy_of(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char each : text) ++counts.at(static_cast<unsigned char>(each));
  double entropy = 0;
  for (const std::size_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    entropy -= share * std::log2(share);
  }
  return entropy;
}

}  // namespace

std::optional<Pattern::Range> SecretForm::find(std::string_view text, std::size_t from) const {
  for (auto found = pattern.find_group(text, from); found;
       found = pattern.find_group(text, found->end)) {
    const std::string_view secret = text.substr(found->begin, found->end - found->begin);
    if (secret.size() >= least && (entropy == 0 || entropy_of(secret) >= entropy)) return found;
  }
  return std::nullopt;
}

bool SecretForm::may_be_in(std::string_view lower) const {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return lower.find(word) != std::string_view::npos;
  });
}

const std::vector<SecretForm>& secret_forms() {
  return forms().forms;
}

const Pattern& waiting_for_secret() {
  return forms().waiting;
}

const Pattern& secret_names() {
  return forms().names;
}

}  // namespace topsctl

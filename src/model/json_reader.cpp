// Strict JSON reading with messages that name the place.
#include "topsctl/model/json_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_shown = 80;  // bytes of the value found

}  // namespace

JsonReader::JsonReader(const Json& value, std::string source)
    : JsonReader(value, std::move(source), "") {}

JsonReader::JsonReader(const Json& value, std::string source, std::string path)
    : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

void JsonReader::reject(const std::string& complaint) const {
  throw Error(ErrorCode::bad_stack,
              format("cannot read {}: {}: {}", source_, path_.empty() ? "/" : path_, complaint));
}

void JsonReader::expected(const std::string& what) const {
  const std::string shown =
      value_->is_structured()
          ? std::string(value_->type_name())
          : printable(value_->dump(-1, ' ', false, Json::error_handler_t::replace));
  reject(format("expected {}, got {}", what, shortened(shown, longest_shown)));
}

void JsonReader::expect_keys(const std::vector<std::string>& known) const {
  if (!value_->is_object()) expected("an object");
  for (const auto& [key, unused] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      reject(format("unknown key {}{}", in_quotes(shortened(key, longest_shown)),
                    did_you_mean(key, known)));
    }
  }
}

JsonReader JsonReader::at(const std::string& key) const {
  auto found = find(key);
  if (!found) reject(format("missing key {}", in_quotes(key)));
  return *found;
}

std::optional<JsonReader> JsonReader::find(const std::string& key) const {
  if (!value_->is_object()) expected("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonReader(*found, source_, concat(path_, "/", key));
}

std::vector<std::string> JsonReader::texts_at(const std::string& key) const {
  const auto value = find(key);
  return value ? value->texts() : std::vector<std::string>();
}

bool JsonReader::flag_at(const std::string& key) const {
  const auto value = find(key);
  return value && value->boolean();
}

std::vector<JsonReader> JsonReader::items() const {
  if (!value_->is_array()) expected("a list");
  std::vector<JsonReader> readers;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    readers.push_back(JsonReader((*value_)[i], source_, concat(path_, "/", i)));
  }
  return readers;
}

std::vector<std::string> JsonReader::keys() const {
  if (!value_->is_object()) expected("an object");
  std::vector<std::string> keys;
  for (const auto& [key, unused] : value_->items()) keys.push_back(key);
  return keys;
}

bool JsonReader::is_null() const {
  return value_->is_null();
}

bool JsonReader::is_text() const {
  return value_->is_string();
}

std::string JsonReader::any_text() const {
  if (!value_->is_string()) expected("text");
  return value_->get<std::string>();
}

std::string JsonReader::text() const {
  if (!value_->is_string()) expected("text");
  auto text = value_->get<std::string>();
  if (text.empty()) expected("non-empty text");
  return text;
}

std::string JsonReader::text_of(const std::vector<std::string>& choices) const {
  std::string text = this->text();
  if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
    reject(format("expected one of {}; got \"{}\"{}", joined(choices, ", "),
                  shortened(printable(text), longest_shown), did_you_mean(text, choices)));
  }
  return text;
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> texts;
  for (const JsonReader& item : items()) texts.push_back(item.text());
  return texts;
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::int64_t JsonReader::integer(std::int64_t least, std::int64_t most) const {
  if (!value_->is_number_integer()) expected("an integer");
  const bool too_large =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const auto number = value_->get<std::int64_t>();
  if (too_large || number < least || number > most) {
    expected(format("an integer from {} to {}", least, most));
  }
  return number;
}

}  // namespace topsctl

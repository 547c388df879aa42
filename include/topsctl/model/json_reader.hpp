// Strict parser for JSON documents that people write: errors have the file, the path in it, the
// expected value, and the nearest known key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

// A view of one value inside a document; the document must outlive it. Every method throws
// Error{bad_stack} if the value does not have the requested form.
class JsonReader {
 public:
  // `source` as shown in messages, e.g. "stack 'topsrider'".
  JsonReader(const Json& value, std::string source);

  // The value must be an object with no key outside `known`.
  void expect_keys(const std::vector<std::string>& known) const;
  JsonReader at(const std::string& key) const;
  std::optional<JsonReader> find(const std::string& key) const;
  // For an optional key of an object: empty or false if it is missing.
  std::vector<std::string> texts_at(const std::string& key) const;
  bool flag_at(const std::string& key) const;
  std::vector<JsonReader> items() const;
  std::vector<std::string> keys() const;  // of an object, as written

  bool is_null() const;
  bool is_text() const;

  std::string text() const;  // not empty
  std::string any_text() const;
  std::string text_of(const std::vector<std::string>& choices) const;
  std::vector<std::string> texts() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;

  [[noreturn]] void reject(const std::string& complaint) const;

 private:
  JsonReader(const Json& value, std::string source, std::string path);
  [[noreturn]] void expected(const std::string& what) const;

  const Json* value_;
  std::string source_;
  std::string path_;  // JSON pointer, RFC 6901
};

}  // namespace topsctl

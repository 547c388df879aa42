// Checks the characters of names, paths and lines.
#include "topsctl/model/stack/stack_words.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace topsctl {

bool is_identifier(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '+';
  });
  return is_plain && !text.empty() && text.front() != '-' && text.front() != '.';
}

std::string identifier(const JsonReader& reader) {
  std::string text = reader.text();
  if (!is_identifier(text))
    reader.reject(format("expected letters, digits and . _ - + only, got {}", in_quotes(text)));
  return text;
}

std::string variable_name(const JsonReader& reader) {
  std::string text = reader.text();
  if (!is_variable_name(text)) {
    reader.reject(format("expected a shell variable name, got {}", in_quotes(text)));
  }
  return text;
}

std::string one_line(const JsonReader& reader) {
  std::string text = reader.text();
  if (printable(text) != text)
    reader.reject("expected one line of text without control characters");
  return text;
}

std::string absolute_path(const JsonReader& reader) {
  std::string text = one_line(reader);
  const std::vector<std::string> pieces = split(text, '/');
  if (text.front() != '/' || text.back() == '/' ||
      std::any_of(pieces.begin() + 1, pieces.end(),
                  [](const std::string& p) { return p.empty() || p == "." || p == ".."; })) {
    reader.reject(format("expected an absolute path without '.', '..' or empty parts, got {}",
                         in_quotes(text)));
  }
  return text;
}

std::string file_name(const JsonReader& reader) {
  std::string text = one_line(reader);
  if (text.find('/') != std::string::npos) {
    reader.reject(format("expected a file name without '/', got {}", in_quotes(text)));
  }
  return text;
}

}  // namespace topsctl

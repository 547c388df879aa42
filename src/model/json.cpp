// Parsing and printing of JSON text.
#include "topsctl/model/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int deepest = 64;

// Before parsing: hostile nesting must not exhaust the stack. The parser's own callback would walk
// each parent for every value that ends in it.
void require_few_levels(std::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char each = text[i];
    if (is_in_string) {
      if (each == '\\') ++i;
      if (each == '"') is_in_string = false;
    } else if (each == '"') {
      is_in_string = true;
    } else if (each == '{' || each == '[') {
      if (++depth > deepest)
        throw Error(ErrorCode::bad_stack, format("nested deeper than {} levels", deepest));
    } else if (each == '}' || each == ']') {
      --depth;
    }
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  try {
    require_few_levels(text);
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::string_view before =
        text.substr(0, e.byte > 0 ? std::min(e.byte - 1, text.size()) : 0);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;
    throw Error(ErrorCode::bad_stack,
                format("cannot read {}: invalid JSON at line {}, column {}", source, line, column),
                "check the file with `python3 -m json.tool`");
  } catch (const Json::exception&) {
    throw Error(ErrorCode::bad_stack, format("cannot read {}: a number is out of range", source),
                "check the file with `python3 -m json.tool`");
  } catch (const Error& e) {
    throw Error(e.code(), format("cannot read {}: {}", source, e.message()));
  }
}

Json json_or_null(std::string_view text) {
  try {
    return parse_json(text, {});
  } catch (const Error&) {
    return nullptr;
  }
}

std::string to_text(const Json& document) {
  return with_json_escapes(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string to_line(const Json& value) {
  return with_json_escapes(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace topsctl

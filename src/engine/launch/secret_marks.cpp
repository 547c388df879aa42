// Marks by digest.
#include "topsctl/engine/launch/secret_marks.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::string_view mark_begin = "[secret ";
constexpr std::size_t mark_digits = 16;

}  // namespace

std::string secret_mark(std::string_view run, std::string_view value) {
  return concat(mark_begin, sha256_of(concat(run, "\n", value)).substr(0, mark_digits), "]");
}

bool has_secret_mark(std::string_view word) {
  return word.find(mark_begin) != std::string_view::npos;
}

}  // namespace topsctl

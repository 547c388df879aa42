// The forms in which training frameworks count.
#include "engine/launch/iteration.hpp"

#include <array>
#include <charconv>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_told = 1000;  // searched part of a line

struct Form {
  Pattern pattern;
  const char* shown;
};

const std::array<Form, 5>& forms() {
  static const std::array<Form, 5> all = {{
      {Pattern(R"((?i)\bepoch(?:\(train\))?:?\s*\[\s*(\d+)\]\s*\[\s*(\d+)/\s*(\d+)\])"),
       R"(\1, \2/\3)"},
      {Pattern(R"((?i)\biter(?:ation)?s?(?:\(train\))?\s*[:=]?\s*\[?\s*(\d+)\s*/\s*(\d+))"),
       R"(\1/\2)"},
      {Pattern(R"((?i)\bstep\s*[:=]?\s*\[?\s*(\d+)\s*/\s*(\d+))"), R"(\1/\2)"},
      {Pattern(R"(\s(\d+)/(\d+) \[\d+:\d\d(?::\d\d)?<)"), R"(\1/\2)"},
      {Pattern(R"((?i)\b(?:iter(?:ation)?|step)["']?\s*[:=]?\s*(\d+)\b)"), R"(\1)"},
  }};
  return all;
}

}  // namespace

std::optional<std::string> iteration_in(std::string_view line) {
  line = line.substr(0, longest_told);
  for (const Form& form : forms()) {
    const auto range = form.pattern.find(line, 0);
    if (!range) continue;
    return form.pattern.replaced(line.substr(range->begin, range->end - range->begin), form.shown);
  }
  return std::nullopt;
}

std::optional<std::string> backend_in(std::string_view line) {
  static const Pattern form(R"((?i)\brank\W{0,2}\d+\s?/\s?\d+\W{1,4}backend\W{1,3}([a-z]+))");
  line = line.substr(0, longest_told);
  const auto range = form.find(line, 0);
  if (!range) return std::nullopt;
  return lower_case(form.replaced(line.substr(range->begin, range->end - range->begin), R"(\1)"));
}

std::vector<std::uint64_t> numbers_in(std::string_view iteration) {
  std::vector<std::uint64_t> numbers;
  const char* const end = iteration.data() + iteration.size();
  for (const char* at = iteration.data(); at < end; ++at) {
    std::uint64_t number = 0;
    const auto [behind, failure] = std::from_chars(at, end, number);
    if (failure != std::errc()) continue;
    numbers.push_back(number);
    at = behind;
  }
  return numbers;
}

}  // namespace topsctl

// Cuts the arguments of a call at their commas.
#include "engine/diagnosis/call_arguments.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

struct Argument {
  TokenRange range;
  TokenRange value;
  std::string_view name;  // empty: by its position
  bool is_dropped = false;
};

std::vector<Argument> arguments_in(const PythonCode& code, TokenRange range) {
  std::vector<Argument> arguments;
  std::uint32_t first = range.first;
  for (std::uint32_t at = range.first; at <= range.end; ++at) {
    if (at < range.end && !code.tokens[at].is_op(",")) {
      if (code.tokens[at].partner > at) at = code.tokens[at].partner;
      continue;
    }
    if (at > first) {
      Argument argument{{first, at}, {first, at}, {}, false};
      if (first + 1 < at && code.tokens[first].kind == PythonToken::Kind::name &&
          code.tokens[first + 1].is_op("=")) {
        argument.name = code.tokens[first].text;
        argument.value.first = first + 2;
      }
      arguments.push_back(argument);
    }
    first = at + 1;
  }
  return arguments;
}

bool is_string(const PythonCode& code, TokenRange value) {
  return value.end == value.first + 1 && code.tokens[value.first].kind == PythonToken::Kind::string;
}

// A run of arguments that go, with the commas that they no longer need.
void drop(const PythonCode& code, const std::vector<Argument>& arguments, TokenRange range,
          std::vector<TextEdit>& changes) {
  const auto begin_of = [&](std::size_t i) {
    return std::size_t{code.tokens[arguments[i].range.first].offset};
  };
  const auto end_of = [&](std::size_t i) { return code.tokens[arguments[i].range.end - 1].end(); };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_dropped) continue;
    std::size_t last = i;
    while (last + 1 < arguments.size() && arguments[last + 1].is_dropped) ++last;
    std::size_t begin = begin_of(i);
    std::size_t end = end_of(last);
    if (last + 1 < arguments.size())
      end = begin_of(last + 1);
    else if (i > 0)
      begin = end_of(i - 1);
    else
      end = code.tokens[range.end - 1].end();
    changes.push_back({begin, end - begin, ""});
    i = last;
  }
}

}  // namespace

std::string value_text(const PythonCode& code, TokenRange value) {
  if (is_string(code, value)) {
    const std::string text = plain_string(code.tokens[value.first].text);
    if (!text.empty()) return concat("'", text, "'");
  }
  return std::string(value.text(code));
}

bool change_arguments(const PythonCode& code, TokenRange range,
                      const std::vector<AskedArgument>& asked, std::vector<TextEdit>& changes) {
  std::vector<Argument> arguments = arguments_in(code, range);
  for (const AskedArgument& each : asked) {
    const ArgumentRule& rule = *each.rule;
    auto found = std::find_if(arguments.begin(), arguments.end(),
                              [&](const Argument& one) { return one.name == rule.name; });
    const auto position = static_cast<std::size_t>(rule.position);
    if (found == arguments.end() && rule.position >= 0 && position < arguments.size() &&
        arguments[position].name.empty())
      found = arguments.begin() + rule.position;
    if (found == arguments.end()) {
      if (rule.is_needed) return false;
      continue;
    }
    const bool is_as_asked =
        each.matches == nullptr || each.matches->matches(value_text(code, found->value));
    if (!is_as_asked) {
      if (rule.is_needed) return false;
      continue;
    }
    found->is_dropped = rule.is_dropped;
    if (rule.becomes.empty()) continue;
    changes.push_back(
        {code.tokens[found->value.first].offset, found->value.text(code).size(), rule.becomes});
  }
  drop(code, arguments, range, changes);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.offset < b.offset; });
  return true;
}

}  // namespace topsctl

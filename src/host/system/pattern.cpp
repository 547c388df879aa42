// Regular expressions by RE2.
#include "topsctl/host/system/pattern.hpp"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t memory_of_one = std::int64_t{4} << 20U;  // bytes

RE2::Options options(std::int64_t memory) {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return options;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

[[noreturn]] void refuse(std::string_view expression, const std::string& why) {
  throw Error(ErrorCode::internal,
              format("cannot use the pattern {}: {}", in_quotes(expression), printable(why)));
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view expression)
      : expression(piece(expression), options(memory_of_one)) {}
  RE2 expression;
};

Pattern::Pattern(std::string_view expression)
    : compiled_(std::make_unique<const Compiled>(expression)) {
  if (!compiled_->expression.ok()) refuse(expression, compiled_->expression.error());
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(piece(text), compiled_->expression);
}

struct PatternSet::Compiled {
  Compiled(const std::vector<std::string>& expressions, std::size_t memory)
      : set(options(static_cast<std::int64_t>(memory)), RE2::UNANCHORED) {
    for (const std::string& expression : expressions) {
      singles.emplace_back(expression);
      set.Add(piece(expression), nullptr);
    }
    is_usable = set.Compile();
  }
  RE2::Set set;
  bool is_usable = false;
  std::vector<Pattern> singles;
};

PatternSet::PatternSet(const std::vector<std::string>& expressions, std::size_t memory)
    : compiled_(std::make_unique<const Compiled>(expressions, memory)) {}

PatternSet::~PatternSet() = default;
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;

std::vector<std::size_t> PatternSet::matches(std::string_view text) const {
  std::vector<std::size_t> found;
  if (compiled_->singles.empty()) return found;
  std::vector<int> indexes;
  RE2::Set::ErrorInfo error{};
  const bool any = compiled_->is_usable && compiled_->set.Match(piece(text), &indexes, &error);
  if (any) {
    for (const int index : indexes) found.push_back(static_cast<std::size_t>(index));
    std::sort(found.begin(), found.end());
    return found;
  }
  if (compiled_->is_usable && error.kind == RE2::Set::kNoError) return found;
  // The automaton of all of them did not fit into its memory; one at a time always does.
  for (std::size_t i = 0; i < compiled_->singles.size(); ++i) {
    if (compiled_->singles[i].matches(text)) found.push_back(i);
  }
  return found;
}

}  // namespace topsctl

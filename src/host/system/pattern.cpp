// Regular expressions by RE2.
#include "topsctl/host/system/pattern.hpp"

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <deque>
#include <mutex>
#include <numeric>
#include <utility>

#include "host/system/text_scan.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/parallel.hpp"

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

namespace {

std::optional<Pattern::Range> range_of(const RE2& expression, std::string_view text,
                                       std::size_t from, std::size_t group) {
  std::array<re2::StringPiece, 2> found;
  if (from > text.size() || !expression.Match(piece(text), from, text.size(), RE2::UNANCHORED,
                                              found.data(), static_cast<int>(group + 1)))
    return std::nullopt;
  const re2::StringPiece& wanted = found.at(group);
  if (wanted.empty()) return std::nullopt;
  const auto begin = static_cast<std::size_t>(wanted.data() - text.data());
  return Pattern::Range{begin, begin + wanted.size()};
}

}  // namespace

std::optional<Pattern::Range> Pattern::find(std::string_view text, std::size_t from) const {
  return range_of(compiled_->expression, text, from, 0);
}

std::optional<Pattern::Range> Pattern::find_group(std::string_view text, std::size_t from) const {
  return range_of(compiled_->expression, text, from, 1);
}

std::optional<std::vector<std::string>> Pattern::groups(std::string_view text) const {
  const auto count = static_cast<std::size_t>(compiled_->expression.NumberOfCapturingGroups());
  std::vector<re2::StringPiece> found(count + 1);
  if (!compiled_->expression.Match(piece(text), 0, text.size(), RE2::ANCHOR_BOTH, found.data(),
                                   static_cast<int>(found.size())))
    return std::nullopt;
  std::vector<std::string> texts;
  for (std::size_t i = 1; i < found.size(); ++i)
    texts.emplace_back(found[i].data(), found[i].size());
  return texts;
}

std::string Pattern::replaced(std::string_view text, std::string_view with) const {
  std::string out(text);
  RE2::GlobalReplace(&out, compiled_->expression, piece(with));
  return out;
}

namespace {

constexpr std::size_t shortest_atom = TextScan::shortest;  // characters

// The text that the expression matches if it is a literal, such as "a\\.b".
std::optional<std::string> plain_text_of(std::string_view expression) {
  constexpr std::string_view special = ".*+?()[]{}|^$";
  std::string text;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const bool is_escaped = expression[i] == '\\';
    if (is_escaped && ++i == expression.size()) return std::nullopt;
    const bool is_word = std::isalnum(static_cast<unsigned char>(expression[i])) != 0;
    if (is_escaped ? is_word : special.find(expression[i]) != std::string_view::npos)
      return std::nullopt;
    text.push_back(expression[i]);
  }
  return text;
}

// Literals in lower case; every match of the expression has at least one of them; as few and as
// long as possible. Empty: it can match without any.
std::vector<std::string> needed_texts(const std::string& expression) {
  const auto text = plain_text_of(expression);
  if (text && text->size() >= shortest_atom) return {lower_case(*text)};
  re2::FilteredRE2 filter(static_cast<int>(shortest_atom));
  int id = 0;
  if (filter.Add(piece(expression), options(memory_of_one), &id) != RE2::NoError)
    refuse(expression, "it is not a valid expression");
  std::vector<std::string> atoms;
  filter.Compile(&atoms);
  std::vector<int> order(atoms.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return atoms[static_cast<std::size_t>(a)].size() < atoms[static_cast<std::size_t>(b)].size();
  });
  // An atom can be passed over if all that are passed over make no match possible.
  std::vector<int> passed_over;
  std::vector<std::string> needed;
  const auto can_match = [&] {
    std::vector<int> potentials;
    std::vector<int> found = passed_over;
    std::sort(found.begin(), found.end());
    filter.AllPotentials(found, &potentials);
    return !potentials.empty();
  };
  if (can_match()) return {};
  for (const int atom : order) {
    passed_over.push_back(atom);
    if (!can_match()) continue;
    passed_over.pop_back();
    needed.push_back(atoms[static_cast<std::size_t>(atom)]);
  }
  return needed;
}

std::vector<std::vector<std::string>> needed_texts(const std::vector<std::string>& expressions) {
  std::vector<std::vector<std::string>> needed(expressions.size());
  for_each_index(expressions.size(),
                 [&](std::size_t i) { needed[i] = needed_texts(expressions[i]); });
  return needed;
}

std::vector<TextScan::Text> with_owners(const std::vector<std::vector<std::string>>& needed) {
  std::vector<TextScan::Text> texts;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    for (const std::string& text : needed[i])
      texts.push_back({text, static_cast<std::uint32_t>(i)});
  }
  return texts;
}

}  // namespace

// Not one RE2::Set of all expressions: on mixed lines that builds its states anew for each line.
struct PatternSet::Compiled {
  // Compiled when its text is seen for the first time, which is seldom.
  struct Member {
    explicit Member(std::string text) : expression(std::move(text)) {}
    bool matches(std::string_view text) const {
      std::call_once(made, [&] { pattern.emplace(expression); });
      return pattern->matches(text);
    }
    std::string expression;
    mutable std::once_flag made;
    mutable std::optional<Pattern> pattern;
  };

  Compiled(const std::vector<std::string>& expressions,
           const std::vector<std::vector<std::string>>& needed)
      : members(expressions.begin(), expressions.end()), scan(with_owners(needed)) {
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i].empty()) always.push_back(i);
    }
  }

  std::deque<Member> members;
  TextScan scan;
  std::vector<std::size_t> always;  // those that need no literal
};

PatternSet::PatternSet(const std::vector<std::string>& expressions)
    : compiled_(std::make_unique<const Compiled>(expressions, needed_texts(expressions))) {}

PatternSet::~PatternSet() = default;
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;

const std::vector<std::size_t>& PatternSet::possible(std::string_view text, Room& room) const {
  constexpr std::size_t bits = 64;
  auto& is_possible = room.bits;
  is_possible.resize(compiled_->members.size() / bits + 1);
  const auto bit_of = [](std::size_t i) { return std::uint64_t{1} << (i % bits); };
  for (const std::size_t i : compiled_->always) is_possible[i / bits] |= bit_of(i);
  compiled_->scan.each_in(
      text, [&](std::uint32_t i) { return (is_possible[i / bits] & bit_of(i)) == 0; },
      [&](std::uint32_t i) { is_possible[i / bits] |= bit_of(i); });
  room.found.clear();
  for (std::size_t word = 0; word < is_possible.size(); ++word) {
    for (std::uint64_t left = std::exchange(is_possible[word], 0); left != 0; left &= left - 1)
      room.found.push_back(word * bits + static_cast<std::size_t>(std::countr_zero(left)));
  }
  return room.found;
}

bool PatternSet::matches(std::size_t index, std::string_view text) const {
  return compiled_->members[index].matches(text);
}

std::vector<std::size_t> PatternSet::matches(std::string_view text) const {
  Room room;
  possible(text, room);
  std::erase_if(room.found, [&](std::size_t index) { return !matches(index, text); });
  return std::move(room.found);
}

void PatternSet::require_texts() const {
  for (const std::size_t index : compiled_->always)
    refuse(compiled_->members[index].expression,
           "it can match without any literal text of 4 characters");
}

std::size_t PatternSet::find(std::string_view text, std::size_t from, std::size_t most,
                             const std::vector<char>& left_out) const {
  return compiled_->scan.find(text, from, [&](std::uint32_t owner) {
    return owner < most && (left_out.empty() || left_out[owner] == 0);
  });
}

}  // namespace topsctl

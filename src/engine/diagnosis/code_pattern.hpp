// Patterns of Python tokens with holes, and their matches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/diagnosis/python_code.hpp"

namespace topsctl {

// Tokens from `first` to before `end`.
struct TokenRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;

  bool is_empty() const { return first == end; }
  // The text as written, including comments inside.
  std::string_view text(const PythonCode& code) const;
};

// One part of a pattern.
struct PatternPart {
  enum class Kind {
    chain,          // a dotted name, resolved by imports; parts of it may be holes
    attribute,      // "." and a name, after any expression
    literal,        // an operator, a number
    string,         // any literal of that text
    format_string,  // an f-string that begins so
    hole,           // one expression without a name before it
    holes,          // any number of arguments
  };
  Kind kind = Kind::literal;
  std::string text;                // of a hole its name
  std::vector<std::string> names;  // of a chain; a hole with "$" before its name
  std::size_t offset = 0;          // in the pattern's text
  std::size_t size = 0;
  bool operator==(const PatternPart& other) const {
    return kind == other.kind && text == other.text && names == other.names;
  }
};

// The parts of a pattern or of a replacement. Throws Error{internal} if it cannot be tokenized:
// rewrites are our own data, and tests read them all.
std::vector<PatternPart> pattern_parts(std::string_view text);

// The content of an f-string; empty for any other literal.
std::string_view format_text(std::string_view literal);

struct PatternMatch {
  TokenRange range;
  std::map<std::string, TokenRange, std::less<>> holes;
  std::vector<TokenRange> parts;  // one for each part of the pattern
};

// Whether the pattern matches at that token; fills `match` if it does.
bool matches_at(const std::vector<PatternPart>& pattern, const PythonCode& code,
                std::uint32_t token, PatternMatch& match);

}  // namespace topsctl

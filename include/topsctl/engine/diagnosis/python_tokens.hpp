// Splits Python source into tokens as Python's own tokenize does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct PythonToken {
  enum class Kind {
    name,
    number,
    string,  // with its prefix and quotes; an f-string is one token
    op,
    comment,
    line_break,  // within a statement, or of an empty line
    line_end,    // ends a statement; empty if the text ends without a line break
  };
  Kind kind = Kind::name;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  int line = 0;  // from 1
};

// A statement with its continuation lines, or several statements joined by semicolons.
struct PythonLine {
  std::uint32_t first = 0;  // token
  std::uint32_t end = 0;    // the token that ends it
  int indent = 0;           // columns
};

struct PythonTokens {
  std::vector<PythonToken> tokens;
  std::vector<PythonLine> lines;
  std::string problem;  // why it is not valid Python; empty: no error found
  int problem_line = 0;

  std::string_view text_of(std::string_view source, std::uint32_t token) const {
    return source.substr(tokens[token].offset, tokens[token].size);
  }
};

// For at most 1 GiB. Accepts any bytes; the tokens end at the first error.
PythonTokens python_tokens(std::string_view source);

// The name in an encoding declaration in the first two lines, in lower case; "utf-8" without a
// declaration.
std::string python_encoding(std::string_view source);

// The value of a plain string literal: not an f-string, not bytes, and no escapes except of quotes
// and backslashes. Empty for all others.
std::string plain_string(std::string_view literal);

}  // namespace topsctl

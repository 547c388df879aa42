// Checks pairs of tokens, and the indentation of blocks.
#include "engine/diagnosis/python_syntax.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "topsctl/engine/diagnosis/python_code.hpp"

namespace topsctl {

namespace {

using Kind = PythonToken::Kind;

constexpr std::array<std::string_view, 32> keywords = {
    "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
    "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
    "global", "if",   "import", "in",     "is",     "lambda",  "nonlocal", "not",
    "or",     "pass", "raise",  "return", "try",    "while",   "with",     "yield"};
// Words only at the beginning of a statement.
constexpr std::array<std::string_view, 3> soft_keywords = {"match", "case", "type"};

bool is_keyword(const CodeToken& token) {
  return token.kind == Kind::name &&
         std::find(keywords.begin(), keywords.end(), token.text) != keywords.end();
}

bool ends_operand(const CodeToken& token) {
  return token.kind == Kind::number || token.kind == Kind::string ||
         (token.kind == Kind::name && !is_keyword(token)) || token.is_op(")") || token.is_op("]") ||
         token.is_op("}");
}

bool begins_operand(const CodeToken& token) {
  return token.kind == Kind::number || token.kind == Kind::string || token.is_op("{") ||
         (token.kind == Kind::name && !is_keyword(token));
}

bool are_neighbours(const CodeToken& token, const CodeToken& next, bool is_first) {
  if (!ends_operand(token) || !begins_operand(next)) return true;
  if (token.kind == Kind::string && next.kind == Kind::string) return true;
  return is_first && token.kind == Kind::name &&
         std::find(soft_keywords.begin(), soft_keywords.end(), token.text) != soft_keywords.end();
}

// `except A, e:` and `raise A, "text"` of Python 2.
bool has_bare_comma(const PythonCode& code, const CodeStatement& statement) {
  for (std::uint32_t at = statement.first; at < statement.end; ++at) {
    if (code.tokens[at].is_op(":")) return false;
    if (code.tokens[at].is_op(",")) return true;
    if (code.tokens[at].partner > at) at = code.tokens[at].partner;
  }
  return false;
}

}  // namespace

std::optional<SyntaxProblem> syntax_problem(const PythonCode& code) {
  for (std::size_t i = 0; i < code.statements.size(); ++i) {
    const CodeStatement& statement = code.statements[i];
    const CodeToken& first = code.tokens[statement.first];
    for (std::uint32_t at = statement.first; at + 1 < statement.end; ++at) {
      const bool is_first =
          at == statement.first || code.tokens[at - 1].is_op(":") || code.tokens[at - 1].is_op(";");
      if (!are_neighbours(code.tokens[at], code.tokens[at + 1], is_first))
        return SyntaxProblem{"not valid Python 3", code.tokens[at].line};
    }
    if ((first.is_name("except") || first.is_name("raise")) && has_bare_comma(code, statement))
      return SyntaxProblem{"not valid Python 3", first.line};
    const bool opens = code.tokens[statement.end - 1].is_op(":");
    const bool is_deeper =
        i + 1 < code.statements.size() && code.statements[i + 1].indent > statement.indent;
    if (opens != is_deeper) {
      const int line = is_deeper ? code.tokens[code.statements[i + 1].first].line : first.line;
      return SyntaxProblem{"inconsistent indentation", line};
    }
  }
  return std::nullopt;
}

}  // namespace topsctl

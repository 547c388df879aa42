// Tokens of shell scripts: what each is, what it lies in, and that nothing of the script is lost.
#include "topsctl/engine/inspection/shell_lexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using Kind = ShellToken::Kind;

std::vector<ShellToken> tokens(std::string_view script, Quotes quotes = Quotes::go_on) {
  ShellLexer lexer(script, quotes);
  std::vector<ShellToken> tokens;
  while (const auto token = lexer.next()) tokens.push_back(*token);
  return tokens;
}

// The texts of one kind, with the line of each.
std::vector<std::string> of_kind(Kind kind, std::string_view script) {
  std::vector<std::string> texts;
  for (const ShellToken& token : tokens(script)) {
    if (token.kind == kind) texts.push_back(concat(token.line, ":", token.text));
  }
  return texts;
}

std::string literal(std::string_view script) {
  std::string text;
  for (const ShellToken& token : tokens(script)) {
    if (token.kind == Kind::text || token.kind == Kind::escape) text += token.literal();
  }
  return text;
}

TEST(ShellTokens, PutTogetherAreTheScript) {
  const std::string script =
      "#!/bin/sh\nset -e # why\ncase \"$1\" in configure) echo \"a $(b `c`) $((1+(2)))\" >&2;; "
      "esac\n"
      "cat <<'EOF' > x\nbody\n\nEOF\nfor i in a\\ b 'b' $'c\\'' ${d:-\"}\"}; do\\\n :; done "
      "<<<here\n";
  for (std::size_t length = 0; length <= script.size(); ++length) {
    const std::string_view beginning = std::string_view(script).substr(0, length);
    std::string whole;
    for (const ShellToken& token : tokens(beginning)) {
      whole += token.text;
      const bool is_line = token.kind == Kind::here_line || token.kind == Kind::here_document_end;
      if (is_line && whole.size() < length) whole += '\n';
    }
    EXPECT_EQ(whole, beginning);
  }
}

TEST(ShellTokens, OfWordsStandForWhatAShellTakesThemFor) {
  EXPECT_EQ(literal(R"(a\b 'c\d' "e\f\"\$" $'g\'\\\t' $)"), "abc\\de\\f\"$g'\\\t$");
  EXPECT_THAT(of_kind(Kind::variable, "$a \"$b_1\" '$c' ${d} $1 $? $"),
              ElementsAre("1:$a", "1:$b_1", "1:$1", "1:$?"));
}

TEST(ShellTokens, AreNoCommentsWithinWords) {
  EXPECT_THAT(of_kind(Kind::comment, "#a\nb#c ${d#e} $# '#' \"#\" $(f #g\n) ;#h\ni\\\n#j"),
              ElementsAre("1:#a", "2:#g", "3:#h"));
}

TEST(ShellTokens, AreOperatorsAmongCommandsOnly) {
  EXPECT_THAT(of_kind(Kind::separator, "a;b&&c|d ';' \"|\" ${e%;} $(f;g) $((1|2)) & (h)"),
              ElementsAre("1:;", "1:&&", "1:|", "1:;", "1:&", "1:(", "1:)"));
  EXPECT_THAT(of_kind(Kind::redirection, "a >b 2>&1 >>c &>d >|e <f <<<g"),
              ElementsAre("1:>", "1:>&", "1:>>", "1:&>", "1:>|", "1:<", "1:<<<"));
}

TEST(ShellTokens, TellWhichHereDocumentALineIsOf) {
  std::vector<std::string> lines;
  for (const ShellToken& token : tokens("a <<X <<-'Y' |\n1\nX\n\t2\n\tY\nb <<Z\n")) {
    if (token.kind == Kind::here_line) lines.push_back(concat(token.document, token.text));
  }
  EXPECT_THAT(lines, ElementsAre("01", "12"));
  EXPECT_THAT(of_kind(Kind::here_line, "a <<X\n1\nX"), ElementsAre("2:1"));
}

TEST(ShellTokens, EndWithTheLineWhereQuotesDoNot) {
  ShellLexer lexer("a \"$(b\nc", Quotes::end_with_line);
  std::vector<ShellLevel> ended;
  while (const auto token = lexer.next()) {
    if (token->kind == Kind::close) ended.push_back(token->level);
  }
  EXPECT_THAT(ended, ElementsAre(ShellLevel::substitution, ShellLevel::double_quotes));
  EXPECT_TRUE(lexer.is_balanced());
}

}  // namespace
}  // namespace topsctl

// Maintainer scripts as lines: what belongs together, what is a comment, and what is only printed.
#include "engine/inspection/script_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "topsctl/base/text.hpp"

namespace topsctl {

void PrintTo(const ScriptLine& line, std::ostream* out) {
  *out << line.number << ": " << line.text;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "number:text", runs of blanks as one, none at the ends.
std::vector<std::string> lines(std::string_view script) {
  std::vector<std::string> shown;
  for (const ScriptLine& line : script_lines(script)) {
    std::string text;
    for (const char c : trimmed(line.text)) {
      const bool blank = c == ' ' || c == '\t' || c == '\n';
      if (!blank) text.push_back(c);
      if (blank && !text.ends_with(' ')) text.push_back(' ');
    }
    shown.push_back(concat(line.number, ":", trimmed(text)));
  }
  return shown;
}

TEST(ScriptLines, HaveTheirNumbers) {
  EXPECT_THAT(lines("#!/bin/sh\n\na\n  b\n"), ElementsAre("1:#!/bin/sh", "3:a", "4:b"));
  EXPECT_THAT(lines("a"), ElementsAre("1:a"));
  EXPECT_THAT(lines(""), IsEmpty());
  EXPECT_THAT(lines("\n\n"), IsEmpty());
}

TEST(ScriptLines, GoOnAfterABackslashAndAfterAPipe) {
  EXPECT_THAT(lines("a \\\n b\\\nc\nd"), ElementsAre("1:a bc", "4:d"));
  EXPECT_THAT(lines("curl x |\n  sh\nd"), ElementsAre("1:curl x | sh", "3:d"));
  EXPECT_THAT(lines("curl x | # why\n\n  sh"), ElementsAre("1:curl x | sh"));
  EXPECT_THAT(lines("a ||\nb"), ElementsAre("1:a ||", "2:b"));
  EXPECT_THAT(lines("a 'x\\\ny'"), ElementsAre("1:a 'x\\", "2:y'"));
}

TEST(ScriptLines, LoseTheirComments) {
  EXPECT_THAT(lines("# x\na # b\nc;# d\n"), ElementsAre("2:a", "3:c;"));
  EXPECT_THAT(lines("a#b $# ${#x} ${x#y} 'z # z' \"q # q\" \\# r"),
              ElementsAre("1:a#b $# ${#x} ${x#y} 'z # z' \"q # q\" \\# r"));
  EXPECT_THAT(lines("a $(b # don't\n) \"$(c # isn't\n)\" # d"),
              ElementsAre("1:a $(b", "2:) \"$(c", "3:)\""));
  EXPECT_THAT(lines("a $((16#ff)) b"), ElementsAre("1:a $((16#ff)) b"));
}

TEST(ScriptLines, LoseWhatIsOnlyPrinted) {
  EXPECT_THAT(lines("echo \"run rm -rf /etc\"; a"), ElementsAre("1:echo ; a"));
  EXPECT_THAT(lines("echo run rm -rf /etc && a"), ElementsAre("1:echo && a"));
  EXPECT_THAT(lines("if x; then printf 'rm %s' y >&2; fi"),
              ElementsAre("1:if x; then printf ; fi"));
  EXPECT_THAT(lines(">&2 echo rm"), ElementsAre("1:>&2 echo"));
  EXPECT_THAT(lines("echo rm >/dev/null 2>&1"), ElementsAre("1:echo"));
  EXPECT_THAT(lines("LANG=C log_action_msg 'rm' || b"),
              ElementsAre("1:LANG=C log_action_msg || b"));
  EXPECT_THAT(lines("echo 'a\nrm b\nc' ; d"), ElementsAre("1:echo", "3:; d"));
}

TEST(ScriptLines, KeepWhatIsPrintedIntoSomething) {
  for (const char* line :
       {"echo x | sh", "echo 'rm -rf /etc' | sudo sh", "echo 'x' > /etc/f", "echo x >>\"$f\"",
        "echo x >|f", "printf x &>f", "a=$(echo rm)", "a=`echo rm`", "echo x 3>f", "aecho x",
        "echo\"x\" rm", "sh -c 'echo; rm'", "echo_ x"}) {
    EXPECT_THAT(lines(line), ElementsAre(concat("1:", line)));
  }
  EXPECT_THAT(lines("echo \"a $(rm b) c\" d"), ElementsAre("1:echo $(rm b)"));
  EXPECT_THAT(lines("echo `rm b` d"), ElementsAre("1:echo `rm b`"));
}

TEST(ScriptLines, HoldHereDocumentsAsLinesOfTheirOwn) {
  EXPECT_THAT(lines("cat > /etc/x <<EOF\nit's a\n# c\n\"b\nEOF\nd # e\n"),
              ElementsAre("1:cat > /etc/x <<EOF", "2:it's a", "4:\"b", "6:d"));
  EXPECT_THAT(lines("sh <<-'E O' ; a\n\trm\n\tE O\nb"),
              ElementsAre("1:sh <<-'E O' ; a", "2:rm", "3:E O", "4:b"))
      << "a delimiter of several words is not looked for";
  EXPECT_THAT(lines("sh <<-'E'\n\trm '\n\tE\nb"), ElementsAre("1:sh <<-'E'", "2:rm '", "4:b"));
  EXPECT_THAT(lines("a <<X <<Y\n1\nX\n2\nY\nb"), ElementsAre("1:a <<X <<Y", "2:1", "4:2", "6:b"));
  EXPECT_THAT(lines("x=$((1<<2))\na 'b\n2\nc'"),
              ElementsAre("1:x=$((1<<2))", "2:a 'b", "3:2", "4:c'"));
  EXPECT_THAT(lines("sh <<<EOF\nrm\n"), ElementsAre("1:sh <<<EOF", "2:rm"));
}

TEST(ScriptLines, LoseHereDocumentsThatAreOnlyPrinted) {
  EXPECT_THAT(lines("cat <<EOF\nrm -rf /etc\nEOF\na"), ElementsAre("1:cat <<EOF", "4:a"));
  EXPECT_THAT(lines("cat <<EOF >&2\nrm $(rm b)\nEOF"),
              ElementsAre("1:cat <<EOF >&2", "2:rm $(rm b)"));
  EXPECT_THAT(lines("cat <<EOF\nrun ``rm x''\n`rm`\nEOF"), ElementsAre("1:cat <<EOF", "3:`rm`"));
  EXPECT_THAT(lines("cat <<EOF | sh\nrm\nEOF"), ElementsAre("1:cat <<EOF | sh", "2:rm"));
  EXPECT_THAT(lines("a=$(cat <<EOF\nrm\nEOF\n)"), ElementsAre("1:a=$(cat <<EOF", "2:rm", "4:)"));
}

TEST(ScriptLines, TakeAHereDocumentWithoutEndForCommands) {
  EXPECT_THAT(lines("cat <<EOF\nrm # x\n"), ElementsAre("1:cat <<EOF", "2:rm"));
}

// Else one apostrophe too many would hide the rest of the script.
TEST(ScriptLines, EndQuotesWithTheLineWhereTheyDoNotAddUp) {
  EXPECT_THAT(lines("echo it's\nrm -rf /etc # c\n"), ElementsAre("1:echo", "2:rm -rf /etc"));
  EXPECT_THAT(lines("a \"$(b\nrm # c"), ElementsAre("1:a \"$(b", "2:rm"));
}

TEST(ScriptLines, OfOtherLanguagesComeAsWordsToo) {
  EXPECT_THAT(lines("#!/usr/bin/python3\nrun([\"rm\", '-rf'])  # x\nprint('a')"),
              ElementsAre("1:#!/usr/bin/python3", "2:run([\"rm\", '-rf'])", "2:run( rm -rf )",
                          "3:print('a')", "3:print( a )"));
}

TEST(ScriptLanguages, GoByTheFirstLine) {
  for (const char* shell :
       {"", "a", "#!/bin/sh", "#!/bin/sh -e\n", "#! /bin/bash\n", "#!/bin/sh\r\n",
        "#!/usr/bin/env bash\n", "#!\n", "#!/bin/busybox sh\n"}) {
    EXPECT_EQ(script_language(shell), ScriptLanguage::shell) << shell;
  }
  for (const char* other :
       {"#!/usr/bin/python3\n", "#!/usr/bin/env perl", "#!/usr/bin/perl -w\n", "#!/bin/shell\n"}) {
    EXPECT_EQ(script_language(other), ScriptLanguage::other) << other;
  }
}

// Whatever a script holds, it is read in one pass; these would need hours in several.
TEST(ScriptLines, OfHostileScriptsAreReadInTimeThatGrowsWithTheScript) {
  const std::size_t size = 1U << 18U;
  for (const char* piece : {"a<<b\n", "<<a;", "$(", "\"$(", "`", "'", "(", "\\\n", "|\n", "echo x;",
                            "echo '", "${", "$((", ">", "<", "\n", "a|", "#", "cat <<'\n"}) {
    std::string script;
    while (script.size() < size) script.append(piece);
    const auto found = script_lines(script);
    EXPECT_LE(found.size(), script.size()) << piece;
  }
}

TEST(ScriptLines, AreFoundInEveryBeginningOfAScript) {
  const std::string script =
      "#!/bin/sh\nset -e\ncase \"$1\" in configure) echo \"a $(b `c`) $((1+(2)))\" >&2;; esac\n"
      "cat <<-'EOF' > x\n\tbody\n\tEOF\nfor i in a 'b' $'c\\''; do :; done # end\n";
  for (std::size_t length = 0; length <= script.size(); ++length) {
    for (const ScriptLine& line : script_lines(std::string_view(script).substr(0, length))) {
      EXPECT_GE(line.number, 1);
      EXPECT_LE(line.number, 8);
    }
  }
}

}  // namespace
}  // namespace topsctl

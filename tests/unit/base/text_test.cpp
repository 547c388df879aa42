// Cutting, quoting and human forms of text, and what a terminal must never see.
#include "topsctl/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/programs.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using std::string_literals::operator""s;
using testing::ElementsAre;

TEST(Concat, JoinsTextCharactersAndNumbers) {
  EXPECT_EQ(concat("step ", 3, '/', std::string("9"), std::string_view(":"), -1), "step 3/9:-1");
}

TEST(Format, PutsTextCharactersAndNumbersInTheirPlaces) {
  EXPECT_EQ(format("step {} of {}{}{}{}", 3, std::string("9"), std::string_view(": "), 'x', -1),
            "step 3 of 9: x-1");
  EXPECT_EQ(format("{} bytes", std::uint64_t{18446744073709551615U}), "18446744073709551615 bytes");
  EXPECT_EQ(format("nothing"), "nothing");
  EXPECT_EQ(format("{{}} and {}", "{}"), "{} and {}");
}

TEST(Trimmed, TakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n\t "), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Split, GivesAtLeastOnePieceAndKeepsEmptyOnes) {
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
}

TEST(NamesIn, AreThePiecesThatCanBeNamesOfFiles) {
  EXPECT_THAT(names_in("\"$D/get-it.sh\" a+b; x=(y) x"),
              testing::ElementsAre("D", "a+b", "get-it.sh", "x", "y"));
  EXPECT_TRUE(names_in(" /;").empty());
}

TEST(Joined, IsTheOppositeOfSplit) {
  EXPECT_EQ(joined(split("a,,b,", ','), ","), "a,,b,");
  EXPECT_EQ(joined({}, ","), "");
}

TEST(IsDigits, WantsAtLeastOneDigitAndNothingElse) {
  EXPECT_TRUE(is_digits("0123456789"));
  EXPECT_FALSE(is_digits(""));
  EXPECT_FALSE(is_digits("-1"));
  EXPECT_FALSE(is_digits("1 "));
}

TEST(LowerCase, LeavesEverythingButAsciiAlone) {
  EXPECT_EQ(lower_case("ECCL-Ärger"), "eccl-Ärger");
}

TEST(Printable, KeepsWholeUtf8) {
  const std::string text = "ECCL 库 é 𝄞 ~";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ReplacesEachControlCharacter) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\x7f\r"), "a?[31mb???");
  EXPECT_EQ(printable("a\0b"s), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m")
      << "the one-character form of ESC [";
}

TEST(Printable, KeepsLineEndsAndTabsOnlyWhenAsked) {
  EXPECT_EQ(printable("a\n\tb"), "a??b");
  EXPECT_EQ(printable("a\n\tb\r", Lines::keep), "a\n\tb?");
}

TEST(Printable, ReplacesEveryByteOfBrokenUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a?b");
  EXPECT_EQ(printable("\xe5\xba"), "??") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf"), "??") << "an overlong '/'";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "???") << "an overlong '/' of three bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????") << "beyond U+10FFFF";
  EXPECT_EQ(printable("\x80"), "?") << "a continuation without a start";
  EXPECT_EQ(printable("\xe5"
                      "ab"),
            "?ab")
      << "what follows a broken start stays";
}

TEST(Utf8, IsKnownByItsForm) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("a\xe4\xb8\xad\xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_utf8("\xe4\xb8"));
  EXPECT_FALSE(is_utf8("caf\xe9"));
  EXPECT_FALSE(is_utf8("\xc0\xaf")) << "not the shortest form";
}

TEST(Printable, IsItsOwnFixedPoint) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += {static_cast<char>(byte), 'x'};
  EXPECT_EQ(printable(printable(all)), printable(all));
}

// The Bidi_Control property of Unicode: what can make a text read otherwise than it is.
TEST(Printable, ReplacesEveryCharacterThatTurnsTheReadingDirection) {
  for (const char* character : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c",
                                "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    EXPECT_EQ(printable(character), "?") << run_program({"od", "-An", "-tx1"}, character).output;
  }
}

TEST(InQuotes, MakesTheTextHarmless) {
  EXPECT_EQ(in_quotes("a\x1b"
                      "b"),
            "'a?b'");
}

TEST(ShellQuoted, LeavesPlainWordsReadable) {
  EXPECT_EQ(shell_quoted("/opt/tops-2.5/lib"), "/opt/tops-2.5/lib");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
}

TEST(TypedWords, HaveNoByteThatATerminalObeys) {
  EXPECT_EQ(typed_word("bundle of mine"), "'bundle of mine'");
  EXPECT_EQ(typed_word("包"), "'包'");
  EXPECT_EQ(typed_word("a\033[31m'b\\"), R"($'a\x1b[31m\'b\\')");
  EXPECT_EQ(typed_word("\xff"), R"($'\xff')");
}

TEST(ShellQuoted, RefusesNul) {
  EXPECT_EQ(thrown_by([] { shell_quoted("a\0b"s); }).code(), ErrorCode::internal);
}

TEST(ShellQuoted, EveryHostileTextIsOneWordOfARealShell) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  const std::vector<std::string> words = {
      "",      "'",    "''",        "\"",      "\\",    "\\'",     "$(id)", "`id`",
      "$HOME", "~",    "~root",     "a:~",     "a b",   " a ",     "a\nb",  "\n",
      "*",     "?",    "[a-z]",     "{a,b}",   "a;b",   "a&&b",    "a|b",   ">x",
      "#a",    "!",    "!!",        "a'\\''b", "-n",    "--",      "\t",    "\r",
      "库",    "\xff", "$'\\n'",    "<(id)",   "((1))", "a\\",     "a\\\n", "%s",
      "=a",    "A=1",  "x'; id; '", "${IFS}",  "&",     every_byte};
  for (const std::string& word : words) {
    const std::string script = concat("set -- ", shell_quoted(word), "\nprintf '%d:%s.' $# \"$1\"");
    EXPECT_EQ(output_of({"/bin/sh", "-c", script}), concat("1:", word, ".")) << in_quotes(word);
  }
}

TEST(ShellQuoted, StaysOneWordAsAnOperandOfExportAndCase) {
  for (const std::string word : {"~", "a:~/b", "*", "a b", "$x", "it's"}) {
    const std::string script = concat("export X=", shell_quoted(word), "\ncase \"$X\" in\n  ",
                                      shell_quoted(word), ") printf %s \"$X\" ;;\nesac");
    EXPECT_EQ(output_of({"/bin/sh", "-eu", "-c", script}), word);
  }
}

TEST(EditDistance, CountsAnExchangeOfNeighboursOnce) {
  EXPECT_EQ(edit_distance("install", "instlal"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> commands = {"inspect", "install", "rollback", "history"};
  EXPECT_EQ(nearest("instal", commands), "install");
  EXPECT_EQ(nearest("INSTALL", commands), "install");
  EXPECT_EQ(nearest("roll", commands), "rollback") << "the beginning of a longer word";
  EXPECT_EQ(nearest("banana", commands), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Nearest, PrefersTheNearestOverTheFirst) {
  EXPECT_EQ(nearest("verif", {"very", "verify"}), "verify");
}

TEST(Nearest, IsNotSlowForALongWord) {
  EXPECT_EQ(nearest(std::string(1U << 20U, 'a'), {"install"}), std::nullopt);
}

TEST(DidYouMean, IsEmptyWithoutACandidate) {
  EXPECT_EQ(did_you_mean("dep", {"deb", "wheel"}), " (did you mean 'deb'?)");
  EXPECT_EQ(did_you_mean("banana", {"deb", "wheel"}), "");
}

TEST(OctalMode, HasFourDigits) {
  EXPECT_EQ(octal_mode(0755), "0755");
  EXPECT_EQ(octal_mode(04711), "4711");
  EXPECT_EQ(octal_mode(0), "0000");
}

TEST(HumanSize, UsesPowersOf1024) {
  EXPECT_EQ(human_size(0), "0 B");
  EXPECT_EQ(human_size(1023), "1023 B");
  EXPECT_EQ(human_size(1024), "1.0 KiB");
  EXPECT_EQ(human_size(5'976'883), "5.7 MiB");
  EXPECT_EQ(human_size(3ULL << 30U), "3.0 GiB");
  EXPECT_EQ(human_size(5000ULL << 40U), "5000.0 TiB") << "the largest unit takes the rest";
}

TEST(HumanSize, GoesToTheNextUnitRatherThanSay1024) {
  EXPECT_EQ(human_size((1U << 20U) - 1), "1.0 MiB");
}

TEST(HumanDuration, IsSecondsBelowAMinute) {
  EXPECT_EQ(human_duration(0), "0.0 s");
  EXPECT_EQ(human_duration(449), "0.4 s");
  EXPECT_EQ(human_duration(9'999), "9.9 s");
  EXPECT_EQ(human_duration(10'000), "10 s");
  EXPECT_EQ(human_duration(59'999), "59 s");
  EXPECT_EQ(human_duration(60'000), "1 min 0 s");
  EXPECT_EQ(human_duration(125'000), "2 min 5 s");
}

TEST(FirstLines, SaysHowManyWereLeftOut) {
  EXPECT_EQ(first_lines("a\nb\n", 2), "a\nb");
  EXPECT_EQ(first_lines("a\nb\nc\nd\n", 2), "a\nb\n... and 2 more lines");
}

TEST(LastLines, PassesEmptyLinesOver) {
  EXPECT_EQ(last_lines("a\n\nb\n  \nc\n\n", 2), "b\nc");
  EXPECT_EQ(last_lines("a\n", 5), "a");
  EXPECT_EQ(last_lines("", 5), "");
}

TEST(TellingLines, AreThoseOfErrorsWithTheLineAfterEach) {
  EXPECT_EQ(telling_lines("start\nError: no\n because\nmore\ndpkg: ERROR 2\nlast\n", 9),
            "start\nError: no\n because\nmore\ndpkg: ERROR 2\nlast");
  EXPECT_EQ(telling_lines("error 1\nerror 2\nerror 3\n", 2), "error 1\nerror 2");
}

TEST(TellingLines, KeepWhatAScriptSaidLast) {
  EXPECT_EQ(
      telling_lines("Setting up a (1) ...\nfine\nSetting up x (1) ...\n1\n2\n3\n4\nFATAL: no card\n"
                    "dpkg: error processing package x (--configure):\n exit status 3\n"
                    "Processing triggers for y (2) ...\nfine\n",
                    12),
      "2\n3\n4\nFATAL: no card\ndpkg: error processing package x (--configure):\n exit status 3");
  EXPECT_EQ(telling_lines(
                "Setting up x (1) ...\ndpkg (subprocess): unable to execute x: Permission denied\n"
                "dpkg: 处理软件包 x 时出错：\n 退出 2\n",
                12),
            "dpkg (subprocess): unable to execute x: Permission denied\ndpkg: 处理软件包 x "
            "时出错：\n 退出 2");
}

TEST(TellingLines, AreTheLastOnesWhenNoneTellsOfAnError) {
  EXPECT_EQ(telling_lines("a\nb\n\nc\n", 2), "b\nc");
  EXPECT_EQ(telling_lines("", 2), "");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(counted(0, "package"), "0 packages");
  EXPECT_EQ(counted(1, "package"), "1 package");
  EXPECT_EQ(counted(2, "package"), "2 packages");
}

TEST(DisplayWidth, CountsWideCharactersTwice) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("安装"), 4U);
  EXPECT_EQ(display_width("，。：（）"), 10U) << "Chinese punctuation";
  EXPECT_EQ(display_width("한글カナ"), 8U);
  EXPECT_EQ(display_width("a\xff"
                          "b"),
            3U);
}

TEST(DisplayWidth, CountsFullWidthSignsTwice) {
  EXPECT_EQ(display_width("￥"), 2U);
  EXPECT_EQ(display_width("｡"), 1U) << "half width";
}

TEST(Utf8, IsToldFromOtherBytes) {
  for (const char* text : {"", "abc", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\x01"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text : {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

}  // namespace
}  // namespace topsctl

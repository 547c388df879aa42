// Regular expressions: what they match, and that hostile texts and wrong expressions do no harm.
#include "topsctl/host/system/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Patterns, MatchAnywhere) {
  const Pattern pattern(R"(\brm\s+-rf\b)");
  EXPECT_TRUE(pattern.matches("sudo rm -rf /"));
  EXPECT_FALSE(pattern.matches("farm -rf"));
  EXPECT_FALSE(pattern.matches(""));
  EXPECT_TRUE(Pattern("").matches(""));
}

TEST(Patterns, TellTheirGroups) {
  const Pattern pattern("([a-z]+)_([0-9.]+?)(?:[.](deb|rpm))?");
  EXPECT_EQ(pattern.groups("nccl_2.26.deb"), (std::vector<std::string>{"nccl", "2.26", "deb"}));
  EXPECT_EQ(pattern.groups("nccl_2.26"), (std::vector<std::string>{"nccl", "2.26", ""}));
  EXPECT_FALSE(pattern.groups("the nccl_2.26.deb"));
}

TEST(Patterns, TakeAnyBytes) {
  const std::string broken = std::string("a\xff\xfe\0b", 5);
  EXPECT_TRUE(Pattern("a..").matches(broken));
  EXPECT_TRUE(Pattern(std::string("\\x00b")).matches(broken));
  EXPECT_TRUE(Pattern("\xe4\xb8\xad").matches("x\xe4\xb8\xad"));
}

TEST(Patterns, OfWrongFormAreRefusedByName) {
  for (const char* expression : {"(", "[a", R"((a)\1)", "a(?=b)", "a{2,1}"}) {
    const Error error = thrown_by([&] { Pattern{expression}; });
    EXPECT_EQ(error.code(), ErrorCode::internal) << expression;
    EXPECT_THAT(error.message(), HasSubstr(expression));
    EXPECT_THAT(thrown_by([&] { PatternSet({"a", expression}); }).message(), HasSubstr(expression));
  }
}

// A matcher that tries one way after the other needs 2^50 steps here.
TEST(Patterns, NeedNoExponentialTime) {
  const std::string text(1U << 20U, 'a');
  EXPECT_FALSE(Pattern("(a+)+b").matches(text));
  EXPECT_FALSE(Pattern("(a|aa)+$b").matches(text));
  EXPECT_THAT(PatternSet({"(a+)+b", "(a*)*c"}).matches(text), IsEmpty());
}

TEST(PatternSets, SayWhichOnesMatch) {
  const PatternSet set({"a", "b+", "^c", "z"});
  EXPECT_THAT(set.matches("xbba"), ElementsAre(0, 1));
  EXPECT_THAT(set.matches("cb"), ElementsAre(1, 2));
  EXPECT_THAT(set.matches("xc"), IsEmpty());
  EXPECT_THAT(set.matches(""), IsEmpty());
  EXPECT_THAT(PatternSet(std::vector<std::string>{}).matches("a"), IsEmpty());
}

class PatternSetsOfLittleMemory : public testing::TestWithParam<std::size_t> {};

TEST_P(PatternSetsOfLittleMemory, AnswerTheSame) {
  std::vector<std::string> expressions;
  for (int i = 0; i < 30; ++i) expressions.push_back(concat("x[a-z]{", 10 + i, "}y"));
  const PatternSet set(expressions, GetParam());
  EXPECT_THAT(set.matches(concat("x", std::string(12, 'a'), "y")), ElementsAre(2));
  EXPECT_THAT(set.matches(std::string(200, 'x')), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Bytes, PatternSetsOfLittleMemory,
                         testing::Values(1, 20'000, 60'000, 200'000, 1'000'000));

TEST(PatternScans, find_the_text_that_a_pattern_cannot_do_without) {
  const PatternScan scan(
      {"Address already in use", "(?s)model\\.py.*out of memory", "exit(?:ed)? on signal \\d"});
  const std::string text = "a\nb: ADDRESS ALREADY IN USE\nmodel.py\nexited on signal 9";
  EXPECT_EQ(scan.find(text, 0), text.find("IN USE") + 6) << "the case does not matter";
  EXPECT_EQ(scan.find(text, text.find("model")), text.size()) << "any digit";
  EXPECT_EQ(scan.find(text, text.find("signal") + 1), std::string::npos);
  EXPECT_EQ(scan.find("", 0), std::string::npos);
  EXPECT_EQ(PatternScan({}).find("x", 0), std::string::npos);
}

TEST(PatternScans, refuse_what_matches_without_any_text) {
  for (const char* pattern : {"", ".*", "a+b*", "[0-9]+", "(?:abcd|.)", "abc"})
    EXPECT_THROW(PatternScan({pattern}), Error) << pattern;
}

TEST(PatternScans, take_every_match_of_a_set_of_patterns) {
  const std::vector<std::string> patterns = {"foo\\.bar", "(?i)(?:killed|abort(?:ed)?) by",
                                             "x{2,3}word", "end\\b of"};
  const PatternScan scan(patterns);
  for (const char* text : {"a foo.bar", "KILLED by", "Abort by", "xxword", "end of"})
    EXPECT_NE(scan.find(text, 0), std::string::npos) << text;
}

TEST(Patterns, find_and_replace_each_match) {
  const Pattern pattern("(key=)[a-z]+");
  EXPECT_EQ(pattern.replaced("key=abc, key=d; key=1", "\\1..."), "key=..., key=...; key=1");
  const auto found = pattern.find("key=1 key=ab", 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 6U);
  EXPECT_EQ(found->end, 12U);
  EXPECT_FALSE(pattern.find("key=ab", 1));
}

}  // namespace
}  // namespace topsctl

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
using testing::Not;

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

TEST(PatternSets, find_the_text_that_a_pattern_cannot_do_without) {
  const PatternSet set(
      {"Address already in use", "(?s)model\\.py.*out of memory", "exit(?:ed)? on signal \\d"});
  const std::string text = "a\nb: ADDRESS ALREADY IN USE\nmodel.py\nexited on signal 9";
  EXPECT_EQ(set.find(text, 0, 3), text.find("IN USE") + 6) << "the case does not matter";
  EXPECT_EQ(set.find(text, text.find("model"), 3), text.size()) << "any digit";
  EXPECT_EQ(set.find(text, text.find("signal") + 1, 3), std::string::npos);
  EXPECT_EQ(set.find(text, text.find("model"), 2), std::string::npos) << "not asked for";
  EXPECT_EQ(set.find("", 0, 3), std::string::npos);
  EXPECT_EQ(PatternSet(std::vector<std::string>{}).find("x", 0, 0), std::string::npos);
}

TEST(PatternSets, say_which_can_do_without_any_text) {
  for (const char* pattern : {"", ".*", "a+b*", "[0-9]+", "(?:abcd|.)", "abc"}) {
    const PatternSet set({"abcd", pattern});
    EXPECT_THAT(thrown_by([&] { set.require_texts(); }).message(), HasSubstr(in_quotes(pattern)));
  }
  EXPECT_NO_THROW(PatternSet({"abcd", "x{2,3}word"}).require_texts());
}

TEST(PatternSets, find_the_text_of_every_match) {
  const std::vector<std::string> patterns = {"foo\\.bar", "(?i)(?:killed|abort(?:ed)?) by",
                                             "x{2,3}word", "end\\b of"};
  const PatternSet set(patterns);
  for (const char* text : {"a foo.bar", "KILLED by", "Abort by", "xxword", "end of"}) {
    EXPECT_NE(set.find(text, 0, patterns.size()), std::string::npos) << text;
    EXPECT_THAT(set.matches(text), Not(IsEmpty())) << text;
  }
}

// Texts that begin, end and hold others, beside a search for each.
TEST(PatternSets, find_texts_within_texts) {
  const std::vector<std::string> texts = {"aaaa",  "aaaaab", "abab",   "babab", "ababab",
                                          "bbbba", "aabb",   "abbbba", "aaaba", "bbab"};
  const PatternSet set(texts);
  std::uint32_t state = 7;
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 24; ++i) {
      state = state * 1664525U + 1013904223U;
      text.push_back((state >> 28U) < 8 ? 'a' : 'b');
    }
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (text.find(texts[i]) != std::string::npos) expected.push_back(i);
    }
    ASSERT_EQ(set.matches(text), expected) << text;
    for (std::size_t most = 0; most <= texts.size(); ++most) {
      std::size_t end = std::string::npos;
      for (std::size_t i = 0; i < most; ++i) {
        const std::size_t at = text.find(texts[i]);
        if (at != std::string::npos) end = std::min(end, at + texts[i].size());
      }
      ASSERT_EQ(set.find(text, 0, most), end) << text << " " << most;
    }
  }
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

// Texts that are said again in another language, and those that are not.
#include "topsctl/base/retelling.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

const Translations catalogue = {{"{} failed: {}", "{}失败：{}"},
                                {"step {} of {}", "第 {0} 步，共 {1} 步"},
                                {"{} of {} differ", "{1} 中有 {0} 不同"},
                                {"nothing was changed", "未作任何更改"},
                                {"{}: {}", "{}：{}"},
                                {"a {{word}} here", "这里有 {{word}}"}};

TEST(Retelling, SaysASentenceInTheOtherLanguage) {
  const auto chinese = [](const char* text) { return retold(text, Language::chinese, catalogue); };
  const auto english = [](const char* text) { return retold(text, Language::english, catalogue); };
  EXPECT_EQ(chinese("nothing was changed"), "未作任何更改");
  EXPECT_EQ(english("未作任何更改"), "nothing was changed");
  EXPECT_EQ(chinese("3 of 12 differ"), "12 中有 3 不同");
  EXPECT_EQ(english("12 中有 3 不同"), "3 of 12 differ");
  EXPECT_EQ(chinese("a {word} here"), "这里有 {word}");
}

TEST(Retelling, SaysWhatStandsInAPlaceAgainToo) {
  EXPECT_EQ(retold("dpkg failed: nothing was changed", Language::chinese, catalogue),
            "dpkg失败：未作任何更改");
  EXPECT_EQ(retold("step 2 of 7\nnothing was changed", Language::chinese, catalogue),
            "第 2 步，共 7 步\n未作任何更改");
}

TEST(Retelling, SaysEachPartOfWhatWasJoined) {
  EXPECT_EQ(retold("第 2 步，共 7 步: dpkg失败：退出状态 1: x; 未作任何更改", Language::english,
                   catalogue),
            "step 2 of 7: dpkg failed: 退出状态 1: x; nothing was changed");
}

TEST(Retelling, LeavesDataAndLongerTexts) {
  const Translations words = {{"root", "根目录"}, {"{} {} is installed", "已安装 {} {}"}};
  EXPECT_EQ(retold("root", Language::chinese, words), "root");
  EXPECT_EQ(retold("torch 1.10 is installed", Language::chinese, words), "已安装 torch 1.10");
  const char* longer = "companion-differs: it does not match: FILE: torch 1.10 is installed";
  EXPECT_EQ(retold(longer, Language::chinese, words),
            "companion-differs: it does not match: FILE: 已安装 torch 1.10");
}

TEST(Retelling, LeavesTheWordsOfOthers) {
  for (const char* text : {"", "E: Unable to locate package x", "nothing was changed here", "{}"}) {
    EXPECT_EQ(retold(text, Language::chinese, catalogue), text);
    EXPECT_EQ(retold(text, Language::english, catalogue), text);
  }
}

}  // namespace
}  // namespace topsctl

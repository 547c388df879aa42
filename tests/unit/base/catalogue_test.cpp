// Sentences in another language.
#include "topsctl/base/catalogue.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

class Catalogues : public testing::Test {
 protected:
  ~Catalogues() override { use_language(Language::english); }
};

TEST_F(Catalogues, AreFoundByTheEnglishSentence) {
  use_catalogue({{"cannot read {}: {}", "无法读取 {}：{}"}});
  EXPECT_EQ(format("cannot read {}: {}", "'a'", "it is a pipe"), "无法读取 'a'：it is a pipe");
  EXPECT_EQ(format("cannot write {}: {}", "'a'", "it is a pipe"), "cannot write 'a': it is a pipe");
}

TEST_F(Catalogues, MayChangeTheOrder) {
  use_catalogue({{"{} of {}", "{1} 之 {0}"}});
  EXPECT_EQ(format("{} of {}", 3, 9), "9 之 3");
}

TEST_F(Catalogues, NeverMakeASentenceFail) {
  use_catalogue(
      {{"{} of {}", "{} 之"}, {"step {}", "步 {2}"}, {"done {}", "{:>9999999999}"}, {"x", ""}});
  EXPECT_EQ(format("{} of {}", 3, 9), "3 of 9");
  EXPECT_EQ(format("step {}", 3), "step 3");
  EXPECT_EQ(format("done {}", 3), "done 3");
  EXPECT_EQ(translated("x"), "x");
}

TEST_F(Catalogues, SayWhyTheyCannotBeUsed) {
  EXPECT_EQ(why_untranslatable("a {}", "b {}"), "");
  EXPECT_EQ(why_untranslatable("a {{}} {}", "b {0} {{"), "");
  EXPECT_EQ(why_untranslatable("a {}", "b"), "other places than in the English sentence");
  EXPECT_EQ(why_untranslatable("a '{word}'", "b '{word}'"), "");
  EXPECT_EQ(why_untranslatable("a {}", "b {"), "braces that are no places");
  EXPECT_EQ(why_untranslatable("a {} {}", "b {} {1}"), "braces that are no places");
  EXPECT_EQ(why_untranslatable("a {} {}", "b {0} {0}"),
            "other places than in the English sentence");
}

TEST_F(Catalogues, TranslateValuesThatAreSentencesToo) {
  use_catalogue({{"cannot read {}: {}", "无法读取 {}：{}"},
                 {"it is a pipe", "它是管道"},
                 {"truncated", "被截断"}});
  EXPECT_EQ(format("cannot read {}: {}", "'a'", std::string("it is a pipe")),
            "无法读取 'a'：它是管道");
  EXPECT_EQ(format("cannot read {}: {}", "'a'", "truncated"), "无法读取 'a'：被截断");
  // One word that is not written in the source may be a name.
  EXPECT_EQ(format("cannot read {}: {}", std::string("truncated"), "?"), "无法读取 truncated：?");
}

TEST_F(Catalogues, TranslateErrorsAndCounts) {
  use_catalogue({{"no memory", "内存不足"}, {"free some", "请释放"}, {"{} paths", "{} 个路径"}});
  const Error error(ErrorCode::exhausted, "no memory", "free some");
  EXPECT_EQ(error.message(), "内存不足");
  EXPECT_EQ(error.hint(), "请释放");
  EXPECT_EQ(counted(1, "path"), "1 个路径");
  EXPECT_EQ(counted(2, "file"), "2 files");
}

TEST_F(Catalogues, AreReadFromGettextsForm) {
  const Translations read = parse_po(
      "# comment\nmsgid \"\"\nmsgstr \"\"\n\"Language: zh\\n\"\n\n#: a.cpp\nmsgid \"say "
      "\\\"{}\\\"\\n\"\n"
      "msgstr \"说“{}”\\n\"\n\nmsgid \"lost\"\nmsgid \"kept\"\nmsgstr \"a\\\\b\\tc\"\nmsgstr "
      "\"d\"\n");
  EXPECT_EQ(read, (Translations{{"say \"{}\"\n", "说“{}”\n"}, {"kept", "a\\b\tc"}}));
  EXPECT_TRUE(parse_po("msgid \"\nmsgstr x\nmsgid\"a\"\nmsgstr \"b\"\n").empty());
}

TEST_F(Catalogues, OfChineseAreBuiltIn) {
  use_language(Language::chinese);
  EXPECT_EQ(used_language(), Language::chinese);
  EXPECT_EQ(counted(3, "package"), "3 个软件包");
  EXPECT_NE(translated("Install a bundle as one transaction"),
            "Install a bundle as one transaction");
  EXPECT_EQ(translated("Excludes"), "不能与之同用");
  use_language(Language::english);
  EXPECT_EQ(counted(3, "package"), "3 packages");
}

TEST(Languages, AreThoseOfTheLocaleUnlessAskedFor) {
  EXPECT_EQ(language_of({}), Language::english);
  EXPECT_EQ(language_of({{"LANG", "zh_CN.UTF-8"}}), Language::chinese);
  EXPECT_EQ(language_of({{"LANG", "zh_CN.UTF-8"}, {"LC_MESSAGES", "C"}}), Language::english);
  EXPECT_EQ(language_of({{"LC_ALL", ""}, {"LC_MESSAGES", "zh"}}), Language::chinese);
  const std::map<std::string, std::string> chinese = {{"LC_ALL", "zh_CN.UTF-8"}};
  EXPECT_EQ(asked_language({"topsctl", "verify"}, chinese), Language::chinese);
  EXPECT_EQ(asked_language({"topsctl", "--lang", "en", "verify"}, chinese), Language::english);
  EXPECT_EQ(asked_language({"topsctl", "verify", "--lang=zh"}, {}), Language::chinese);
  EXPECT_EQ(asked_language({"topsctl", "verify", "--lang"}, {}), Language::english);
  // What is behind -- is another program's.
  EXPECT_EQ(asked_language({"topsctl", "launch", "--", "x.py", "--lang=zh"}, {}),
            Language::english);
  EXPECT_EQ(name(Language::chinese), "zh");
  EXPECT_EQ(name(Language::english), "en");
}

}  // namespace
}  // namespace topsctl

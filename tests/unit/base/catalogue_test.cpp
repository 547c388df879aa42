// Sentences in another language.
#include "topsctl/base/catalogue.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

class Catalogues : public testing::Test {
 protected:
  ~Catalogues() override { use_catalogue({}); }
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
  EXPECT_EQ(why_untranslatable("a {}", "b {"), "braces that are no places");
  EXPECT_EQ(why_untranslatable("a {} {}", "b {} {1}"), "braces that are no places");
  EXPECT_EQ(why_untranslatable("a {} {}", "b {0} {0}"),
            "other places than in the English sentence");
}

}  // namespace
}  // namespace topsctl

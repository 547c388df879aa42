// Functions that only print are told from those that do more.
#include "engine/inspection/printing_functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PrintingFunctions, PrintTheirWordsForAPerson) {
  EXPECT_THAT(printing_functions("say() { echo \"x: $*\" ; }\n"), ElementsAre("say"));
  EXPECT_THAT(
      printing_functions("function say_it ()\n{\n  local t=$1\n  printf '%s\\n' \"${t}\" >&2\n"
                         "  echo x >/dev/stderr && exit 1\n}\n"),
      ElementsAre("say_it"));
  EXPECT_THAT(printing_functions("a() { echo $1; }\nb() { a \"no: $*\" >&2; return 1; }\n"),
              ElementsAre("a", "b"));
}

TEST(PrintingFunctions, AreNoneThatKeepOrRunTheirWords) {
  for (const char* script :
       {"say() { eval \"$*\"; }", "say() { echo \"$*\" | sh; }", "say() { echo \"$*\" > /etc/x; }",
        "say() { echo \"$(cat)\"; }", "say() { echo `x`; }", "say() { if x; then { echo; }; fi; }",
        "say() { echo; ", "say() (echo)", "say() { $1; }", "say() { echo x & }",
        "say() { echo >&2 x > y; }"}) {
    EXPECT_THAT(printing_functions(script), IsEmpty()) << script;
  }
}

TEST(PrintingFunctions, AreNoneThatAreDefinedAgainInAnotherWay) {
  EXPECT_THAT(printing_functions("say() { echo $1; }\nif x; then say() { sh -c \"$1\"; }; fi\n"),
              IsEmpty());
  EXPECT_THAT(printing_functions("say() { echo $1; }\nsay() { echo $2; }\n"), ElementsAre("say"));
}

TEST(PrintingFunctions, AreFoundInOnePassOverAnyText) {
  std::string script;
  for (int i = 0; i < 100000; ++i) script += "a(){";
  EXPECT_THAT(printing_functions(script), IsEmpty());
  EXPECT_THAT(printing_functions(std::string(1 << 20, '(')), IsEmpty());
}

}  // namespace
}  // namespace topsctl

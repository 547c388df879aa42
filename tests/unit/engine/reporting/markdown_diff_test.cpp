// Differences between two bundles in Markdown.
#include "topsctl/engine/reporting/markdown_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "support/sample_diff.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const MarkdownDiffFrame frame = {"old|er", "newer", "2026-11-20T10:15:00Z"};

TEST(MarkdownDiffs, AreTheGoldenDocument) {
  std::string text = markdown_diff(every_change(), frame);
  const auto version = text.find(topsctl_version());
  ASSERT_NE(version, std::string::npos);
  expect_golden(text.replace(version, topsctl_version().size(), "0"), "diff/bundles.md");
}

TEST(MarkdownDiffs, EscapeWhatVendorsWrite) {
  BundleDiff diff = every_change();
  diff.changed[0].after.name = "a|b";
  diff.changed[0].files_added.first[0] = "<script>";
  diff.changed[0].scripts[0].lines.first[0] = "-`x`";
  const std::string text = markdown_diff(diff, frame);
  EXPECT_THAT(text, AllOf(HasSubstr("a\\|b"), HasSubstr("&lt;script&gt;"), HasSubstr("\\-\\`x\\`"),
                          HasSubstr("# From old\\|er to newer"), Not(HasSubstr("<"))));
}

TEST(MarkdownDiffs, SayHowManyMoreThereAre) {
  BundleDiff diff = every_change();
  for (int i = 0; i < 500; ++i) diff.changed[0].files_added.add(concat("f", i));
  EXPECT_THAT(markdown_diff(diff, frame),
              AllOf(HasSubstr("Files added: 501"), HasSubstr("- and 301 more\n")));
}

TEST(MarkdownDiffs, OfEqualBundlesHaveNoTable) {
  BundleDiff diff;
  diff.same = 2;
  EXPECT_EQ(markdown_diff(diff, {"a", "b", ""}),
            concat("# From a to b\n\nMade by topsctl ", topsctl_version(),
                   ". 0 changed, 0 added, 0 removed, 2 the same.\n"));
}

}  // namespace
}  // namespace topsctl

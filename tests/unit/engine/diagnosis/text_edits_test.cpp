// Edits keep what they do not name, and their diff is what patch takes.
#include "engine/diagnosis/text_edits.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "support/temporary_folder.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

TEST(TextEdits, a_hunk_has_three_lines_around_it) {
  EditedText text("1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  ASSERT_TRUE(text.apply({{8, 1, "five"}}));
  EXPECT_EQ(text.text(), "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
  EXPECT_EQ(text.unified_diff("a/b.py"),
            "--- a/a/b.py\n+++ b/a/b.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(TextEdits, a_missing_end_of_line_is_told) {
  EditedText text("a\nb");
  ASSERT_TRUE(text.apply({{0, 0, "c\r\n"}, {2, 1, "d"}}));
  EXPECT_EQ(
      text.unified_diff("x"),
      "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+c\r\n a\n-b\n\\ No newline at end of file\n+d\n\\ No "
      "newline at end of file\n");
}

TEST(TextEdits, edits_over_one_another_are_left_out_and_second_rounds_see_the_new_text) {
  EditedText text("abc\ndef\n");
  ASSERT_TRUE(text.apply({{0, 3, "x"}, {1, 1, "y"}}));
  EXPECT_EQ(text.text(), "x\ndef\n");
  ASSERT_TRUE(text.apply({{0, 1, "abc"}}));
  EXPECT_FALSE(text.is_changed());
  EXPECT_EQ(text.unified_diff("x"), "");
  EXPECT_FALSE(text.apply({{0, 3, "abc"}}));
}

TEST(TextEdits, random_edits_go_through_patch) {
  const TemporaryFolder folder;
  std::mt19937 chance(7);
  const auto pick = [&](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(chance);
  };
  for (int round = 0; round < 20; ++round) {
    std::string before;
    for (std::size_t i = 0, lines = pick(40); i < lines; ++i)
      before += concat("line ", pick(5), pick(3) == 0 ? "\r\n" : "\n");
    if (pick(1) == 0) before += "no end";
    EditedText text(before);
    for (int again = 0; again < 3; ++again) {
      std::vector<TextEdit> edits;
      for (std::size_t i = pick(4); i-- > 0;) {
        const std::size_t at = pick(text.text().size());
        edits.push_back({at, pick(std::min<std::size_t>(12, text.text().size() - at)),
                         pick(1) == 0 ? "new\nlines\n" : "word"});
      }
      text.apply(std::move(edits));
    }
    const auto write = [&](const char* name, const std::string& bytes) {
      std::ofstream(folder.path() / name, std::ios::binary) << bytes;
    };
    write("f", before);
    write("p", text.unified_diff("f"));
    if (!text.is_changed()) continue;
    if (before.empty() || text.text().empty()) continue;  // patch would make or remove the file
    const std::string command =
        concat("cd ", folder.path().string(), " && patch --binary -s -p1 < p");
    ASSERT_EQ(std::system(command.c_str()), 0) << round;
    std::ifstream file(folder.path() / "f", std::ios::binary);
    const std::string after((std::istreambuf_iterator<char>(file)), {});
    ASSERT_EQ(after, text.text()) << round << "\n" << text.unified_diff("f");
  }
}

}  // namespace
}  // namespace topsctl

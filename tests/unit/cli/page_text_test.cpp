// Pages on a terminal, and the help of the program.
#include "cli/page_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/command_names.hpp"
#include "cli/program_help.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(RenderedPages, ReadLikeManualPages) {
  EXPECT_EQ(
      rendered_page("# tool\n\nDoes `a thing` **well**, see [more](x.md).\n\n"
                    "## Synopsis\n\n    tool [-x] FILE\n"
                    "         [-y VALUE] [-z VALUES]\n\n## Options\n\nThey stand\nanywhere:\n\n"
                    "    -x      a meaning that goes on for a while\n\n"
                    "1. One\n   goes on.\n2. Two.\n\n### Part\n\n- a\n- b\n\n"
                    "## Examples\n\n    tool -x y\n",
                    Style{false, 40}),
      "tool\n"
      "    Does a thing well, see more.\n\n"
      "SYNOPSIS\n    tool [-x] FILE [-y VALUE] [-z\n        VALUES]\n\n"
      "EXAMPLES\n    tool -x y\n\n"
      "OPTIONS\n    They stand anywhere:\n\n"
      "    -x      a meaning that goes on for a\n"
      "            while\n\n"
      "    1. One goes on.\n    2. Two.\n\n  Part\n\n    - a\n    - b\n");
}

TEST(RenderedPages, FitEveryTerminal) {
  std::vector<std::string> names = {""};
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  for (const std::string& name : names) {
    for (const std::size_t columns : {80U, 120U}) {
      const std::string text = rendered_page(page_of(name), Style{false, columns});
      EXPECT_THAT(text, AllOf(HasSubstr("SYNOPSIS\n"), Not(HasSubstr("](")), Not(HasSubstr("**"))))
          << name;
      for (const std::string& line : split(text, '\n')) {
        EXPECT_LE(display_width(line), columns) << name << ": " << line;
      }
    }
  }
}

TEST(RenderedPages, HaveBoldHeadingsOnlyInColours) {
  const std::string page = "# tool\n\n## Synopsis\n\n    x\n";
  EXPECT_THAT(rendered_page(page, Style{true, 80}), StartsWith("\033[1mtool\033[0m\n"));
  EXPECT_THAT(rendered_page(page, Style{false, 80}), Not(HasSubstr("\033")));
}

TEST(ProgramHelp, NamesEveryCommandOnceAndFitsAScreen) {
  const std::string text = program_help({});
  EXPECT_LE(split(text, '\n').size(), 41U);
  for (const CommandRow& row : command_table()) {
    const std::string line = concat("\n  ", row.name, " ");
    const auto at = text.find(line);
    if (row.place == CommandPlace::hidden) {
      EXPECT_EQ(at, std::string::npos) << row.name;
      continue;
    }
    ASSERT_NE(at, std::string::npos) << row.name;
    EXPECT_EQ(text.find(line, at + 1), std::string::npos) << row.name;
    EXPECT_THAT(text, HasSubstr(row.summary));
  }
  for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), 80U) << line;
}

}  // namespace
}  // namespace topsctl

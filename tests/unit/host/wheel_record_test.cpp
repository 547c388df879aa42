// RECORD files and the Python versions that tags mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../support/thrown.hpp"
#include "topsctl/host/wheel.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(PythonMinor, IsReadFromTheTags) {
  const std::vector<std::pair<std::vector<std::string>, std::optional<std::string>>> table = {
      {{"py3.8-none-any"}, "3.8"},
      {{"py3.6-none-any"}, "3.6"},
      {{"py3.10-none-any"}, "3.10"},
      {{"py38-none-any"}, "3.8"},
      {{"cp38-cp38-linux_x86_64"}, "3.8"},
      {{"cp310-cp310-linux_x86_64"}, "3.10"},
      {{"py3-none-any"}, std::nullopt},
      {{"py2.py3-none-any"}, std::nullopt},
      {{"cp36.cp37-none-any"}, std::nullopt},
      {{"pp38-none-any"}, std::nullopt},
      {{"py-none-any"}, std::nullopt},
      {{""}, std::nullopt},
      {{}, std::nullopt},
      {{"py3.-none-any"}, std::nullopt},
      {{"py3.x-none-any"}, std::nullopt},
      {{"cp38-cp38-linux_x86_64", "cp38-cp38-manylinux1_x86_64"}, "3.8"},
      {{"cp38-cp38-linux_x86_64", "cp39-cp39-linux_x86_64"}, std::nullopt},
      {{"py3.8-none-any", "py3-none-any"}, std::nullopt},
  };
  for (const auto& [tags, minor] : table) {
    EXPECT_EQ(python_minor(tags), minor) << testing::PrintToString(tags);
  }
}

TEST(RecordFiles, AreReadLineByLine) {
  const auto lines = parse_record(
      "torch/__init__.py,sha256=abc_-,12\r\n\ntorch-1.dist-info/RECORD,,\nx.pyc,,\n", "w");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].path, "torch/__init__.py");
  EXPECT_EQ(lines[0].sha256, "abc_-");
  EXPECT_EQ(lines[1].sha256, "");
  EXPECT_EQ(lines[2].path, "x.pyc");
  EXPECT_THAT(parse_record("", "w"), IsEmpty());
}

TEST(RecordFiles, MayQuoteTheirFields) {
  const auto lines = parse_record("\"a,b.py\",sha256=x,1\n\"say \"\"hi\"\".py\",sha256=y,2\n", "w");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].path, "a,b.py");
  EXPECT_EQ(lines[1].path, "say \"hi\".py");
}

TEST(RecordFiles, SayNoSha256WhenTheyHaveAnotherHash) {
  EXPECT_EQ(parse_record("a,md5=x,1\n", "w")[0].sha256, "");
}

TEST(RecordFiles, WithADamagedLineAreRefused) {
  for (const char* text : {"a,b\n", "a\n", "a,b,c,d\n", ",sha256=x,1\n", "\"a,b,c\n", "a\x1b\n"}) {
    const Error error = thrown_by([&] { parse_record(text, "x.whl"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << text;
    EXPECT_THAT(error.message(), HasSubstr("cannot read 'x.whl': RECORD has a damaged line"));
    EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace topsctl

// RECORD files, sound and damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"
#include "topsctl/host/python/wheel_record.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  const auto lines = parse_record("a,md5=x,1\nb,sha512=AbC-_==,\nc,,x\n", "w");
  EXPECT_EQ(lines[0].sha256, "");
  EXPECT_EQ(lines[0].algorithm, "md5");
  EXPECT_EQ(lines[0].size, 1U);
  EXPECT_EQ(lines[1].algorithm, "sha512");
  EXPECT_EQ(lines[1].digest, "AbC-_");
  EXPECT_EQ(lines[1].size, std::nullopt);
  EXPECT_EQ(lines[2].algorithm, "");
  EXPECT_EQ(lines[2].size, std::nullopt);
}

TEST(RecordFiles, MayHaveTheOtherAlphabetAndPadding) {
  EXPECT_EQ(parse_record("a,SHA256=a+b/=,1\n", "w")[0].sha256, "a-b_");
}

TEST(RecordFiles, OfAbsurdLengthAreRefused) {
  std::string text;
  for (int i = 0; i < 200'001; ++i) text += "a,,\n";
  EXPECT_THAT(thrown_by([&] { parse_record(text, "x.whl"); }).message(),
              HasSubstr("more than 200000 lines"));
}

TEST(RecordFiles, AreReadAsPythonReadsCsv) {
  const auto read = [](const char* text) {
    std::vector<std::string> fields;
    for (const RecordLine& line : parse_record(text, "w"))
      fields.push_back(line.path + "|" + line.digest + "|" + std::to_string(line.size.value_or(0)));
    return fields;
  };
  EXPECT_THAT(read("a\nb,sha256=x\nc,sha256=y,3,more,\n"), ElementsAre("a||0", "b|x|0", "c|y|3"));
  EXPECT_THAT(read("a\"b,sha256=x,1\r\"c\"d,\"sha256=y\",2\r"), ElementsAre("a\"b|x|1", "cd|y|2"));
  EXPECT_THAT(read("\"a,b\"\"\",sha256=x,1\n"), ElementsAre("a,b\"|x|1"));
  EXPECT_THAT(read("\"a,b,c\n"), ElementsAre("a,b,c||0"));
}

TEST(RecordFiles, WithALineWithoutAPathAreRefused) {
  for (const char* text : {",sha256=x,1\n", ",,\n", "\"\",\x1b\n"}) {
    const Error error = thrown_by([&] { parse_record(text, "x.whl"); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package) << text;
    EXPECT_THAT(error.message(), HasSubstr("cannot read 'x.whl': RECORD has a damaged line"));
    EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace topsctl

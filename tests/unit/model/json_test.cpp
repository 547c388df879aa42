// Parsing of JSON text: what is refused, and how it is said.
#include "topsctl/model/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

// What turns the reading direction around would show another name than it is (CVE-2021-42574).
TEST(JsonText, EscapesHarmfulCharactersAndNoOthers) {
  const Json value = "a\u202egnp.exe\u2066\u0085\x7f\n \u8bf4\u00e9";
  const std::string line = to_line(value);
  EXPECT_EQ(line, R"("a\u202egnp.exe\u2066\u0085\u007f\n )"
                  "\u8bf4\u00e9\"");
  EXPECT_EQ(parse_json(line, "x"), value);
  EXPECT_EQ(to_text(value), line + "\n");
}

TEST(ParseJson, CountsNoBracketsOfTexts) {
  EXPECT_EQ(parse_json("[\"" + std::string(100, '[') + "\\\"{\", 1]", "x").size(), 2U);
  std::string flat = "[0";
  for (int i = 0; i < 1000; ++i) flat += ",[],{}";
  EXPECT_EQ(parse_json(flat + "]", "x").size(), 2001U);
}

// A reader with a callback visits all values before each one that ends: hours for this.
TEST(ParseJson, ReadsManyValuesInOnePass) {
  std::string flat = "[0";
  for (int i = 0; i < 500'000; ++i) flat += ",{}";
  EXPECT_EQ(parse_json(flat + "]", "x").size(), 500'001U);
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  EXPECT_EQ(parse_json(R"({"b":1,"a":2})", "x").dump(), R"({"b":1,"a":2})");
}

TEST(ParseJson, NamesTheSourceAndTheLine) {
  const Error error = thrown_by([] { parse_json("{\n  \"a\": 1,\n  \"b\": x\n}\n", "stack 's'"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_THAT(error.message(), HasSubstr("cannot read stack 's': invalid JSON"));
  EXPECT_THAT(error.message(), HasSubstr("line 3"));
  EXPECT_THAT(error.hint(), HasSubstr("json.tool"));
}

TEST(ParseJson, NamesTheColumn) {
  const Error error = thrown_by([] { parse_json("{\n  \"a\": x\n}\n", "s"); });
  EXPECT_THAT(error.message(), HasSubstr("column 8"));
}

TEST(ParseJson, RefusesEveryKindOfBrokenText) {
  for (const char* text : {"", "{", "{\"a\":}", "[1,]", "{\"a\":1,}", "nul", "\"\xff\"", "[1] 2",
                           "{'a':1}", "// no\n1", "\"\n\"", "01", "\"\\x\""}) {
    EXPECT_EQ(thrown_by([&] { parse_json(text, "s"); }).code(), ErrorCode::bad_stack) << text;
  }
}

TEST(ParseJson, RefusesANumberThatNoNumberTypeHolds) {
  EXPECT_EQ(thrown_by([] { parse_json("[1e999]", "s"); }).code(), ErrorCode::bad_stack);
}

TEST(ParseJson, TakesSixtyFourLevelsAndNotManyMore) {
  EXPECT_NO_THROW(parse_json(nested(64), "s"));
  const Error error = thrown_by([] { parse_json(nested(66), "the file"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_EQ(error.message(), "cannot read the file: nested deeper than 64 levels");
}

TEST(ParseJson, SurvivesHostileNesting) {
  EXPECT_EQ(thrown_by([] { parse_json(std::string(1U << 20U, '['), "s"); }).code(),
            ErrorCode::bad_stack);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_EQ(thrown_by([&] { parse_json(objects, "s"); }).code(), ErrorCode::bad_stack);
}

TEST(ToText, IsIndentedAndEndsWithALine) {
  EXPECT_EQ(to_text(Json{{"a", 1}}), "{\n  \"a\": 1\n}\n");
}

TEST(ToText, ReplacesBrokenUtf8RatherThanThrow) {
  EXPECT_EQ(to_text(Json("a\xff")), "\"a\uFFFD\"\n");
}

}  // namespace
}  // namespace topsctl

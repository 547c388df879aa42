// Strict reading of JSON values: the place, what was expected, and what was probably meant.
#include "topsctl/model/json_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

// The message that reading `text` with `read` ends with.
std::string complaint(const std::string& text, const std::function<void(const JsonReader&)>& read) {
  const Json value = parse_json(text, "the test");
  const Error error = thrown_by([&] { read(JsonReader(value, "stack 's'")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  return error.message();
}

TEST(JsonReaders, ReadWhatIsThere) {
  const Json value =
      parse_json(R"({"text":"a","list":["x","y"],"yes":true,"number":7})", "the test");
  const JsonReader reader(value, "s");
  reader.expect_keys({"text", "list", "yes", "number", "more"});
  EXPECT_EQ(reader.at("text").text(), "a");
  EXPECT_THAT(reader.at("list").texts(), ElementsAre("x", "y"));
  EXPECT_TRUE(reader.at("yes").boolean());
  EXPECT_EQ(reader.at("number").integer(1, 7), 7);
  EXPECT_FALSE(reader.find("more").has_value());
  EXPECT_EQ(reader.at("text").text_of({"b", "a"}), "a");
}

TEST(JsonReaders, SayTheKeysOfAnObjectAndWhatIsNull) {
  const Json value = parse_json(R"({"b":null,"a":1})", "the test");
  const JsonReader reader(value, "s");
  EXPECT_THAT(reader.keys(), ElementsAre("b", "a"));
  EXPECT_TRUE(reader.at("b").is_null());
  EXPECT_FALSE(reader.at("a").is_null());
  EXPECT_EQ(complaint("[]", [](const JsonReader& r) { r.keys(); }),
            "cannot read stack 's': /: expected an object, got array");
}

TEST(JsonReaders, NameTheNearestKnownKey) {
  EXPECT_EQ(complaint(R"({"nmae":1})",
                      [](const auto& r) {
                        r.expect_keys({"name", "title"});
                      }),
            "cannot read stack 's': /: unknown key 'nmae' (did you mean 'name'?)");
}

TEST(JsonReaders, NameAnUnknownKeyThatResemblesNothing) {
  EXPECT_EQ(complaint(R"({"colour":1})", [](const auto& r) { r.expect_keys({"name"}); }),
            "cannot read stack 's': /: unknown key 'colour'");
}

TEST(JsonReaders, ShowControlCharactersOfAKeyHarmless) {
  EXPECT_EQ(complaint(R"({"a\u001b":1})", [](const auto& r) { r.expect_keys({"name"}); }),
            "cannot read stack 's': /: unknown key 'a?'");
}

TEST(JsonReaders, NameAMissingKey) {
  EXPECT_EQ(complaint(R"({"a":{}})", [](const auto& r) { r.at("a").at("b"); }),
            "cannot read stack 's': /a: missing key 'b'");
}

TEST(JsonReaders, SayThePathOfTheValue) {
  EXPECT_EQ(complaint(R"({"components":[{},{},{"kind":"dep"}]})",
                      [](const auto& r) {
                        r.at("components").items()[2].at("kind").text_of({"deb", "wheel"});
                      }),
            "cannot read stack 's': /components/2/kind: expected one of deb, wheel; got \"dep\" "
            "(did you mean 'deb'?)");
}

TEST(JsonReaders, SayWhatWasExpectedAndWhatStandsThere) {
  const std::string start = "cannot read stack 's': /a: ";
  EXPECT_EQ(complaint(R"({"a":1})", [](const auto& r) { r.at("a").text(); }),
            start + "expected text, got 1");
  EXPECT_EQ(complaint(R"({"a":""})", [](const auto& r) { r.at("a").text(); }),
            start + "expected non-empty text, got \"\"");
  EXPECT_EQ(complaint(R"({"a":{}})", [](const auto& r) { r.at("a").items(); }),
            start + "expected a list, got object");
  EXPECT_EQ(complaint(R"({"a":[]})", [](const auto& r) { r.at("a").expect_keys({}); }),
            start + "expected an object, got array");
  EXPECT_EQ(complaint(R"({"a":[]})", [](const auto& r) { r.at("a").at("b"); }),
            start + "expected an object, got array");
  EXPECT_EQ(complaint(R"({"a":"true"})", [](const auto& r) { r.at("a").boolean(); }),
            start + "expected true or false, got \"true\"");
  EXPECT_EQ(complaint(R"({"a":null})", [](const auto& r) { r.at("a").boolean(); }),
            start + "expected true or false, got null");
  EXPECT_EQ(complaint(R"({"a":1.5})", [](const auto& r) { r.at("a").integer(0, 9); }),
            start + "expected an integer, got 1.5");
  EXPECT_EQ(complaint(R"({"a":10})", [](const auto& r) { r.at("a").integer(0, 9); }),
            start + "expected an integer from 0 to 9, got 10");
  EXPECT_EQ(complaint(R"({"a":["x",2]})", [](const auto& r) { r.at("a").texts(); }),
            "cannot read stack 's': /a/1: expected text, got 2");
}

TEST(JsonReaders, DoNotTakeAHugeNumberForANegativeOne) {
  EXPECT_EQ(complaint("18446744073709551615", [](const auto& r) { r.integer(-1, 1); }),
            "cannot read stack 's': /: expected an integer from -1 to 1, got "
            "18446744073709551615");
}

TEST(JsonReaders, CutLongValuesWithoutBreakingACharacter) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "库";
  const std::string message =
      complaint(concat("{\"a\":\"", text, "\"}"), [](const auto& r) { r.at("a").boolean(); });
  EXPECT_LT(message.size(), 200U);
  EXPECT_EQ(printable(message), message);
}

}  // namespace
}  // namespace topsctl

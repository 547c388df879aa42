// Each way in which a script sets a variable, and look-alikes that do not.
#include "topsctl/host/content/settings_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using Settings = std::map<Setting, std::uint64_t>;

Settings settings_of(std::string_view text) {
  Settings settings;
  scan_settings(text, settings);
  return settings;
}

// The only value that the text sets; nothing if it sets none.
std::optional<std::string> value_in(std::string_view text) {
  const Settings settings = settings_of(text);
  EXPECT_LE(settings.size(), 1U) << text;
  if (settings.empty()) return std::nullopt;
  EXPECT_EQ(settings.begin()->first.name, "ECCL_X") << text;
  return settings.begin()->first.value;
}

TEST(Settings, AreFoundInEveryForm) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"export ECCL_X=v", "v"},
      {"ECCL_X=v", "v"},
      {"ECCL_X=v # why", "v"},
      {"ECCL_X=v; run", "v"},
      {"ECCL_X=a,b run", "a,b"},
      {"ECCL_X=", ""},
      {"ECCL_X=\"a b\"", "a b"},
      {"ECCL_X='a \"b\"'", "a \"b\""},
      {"ECCL_X=\"a\\\"b\"", "a\\\"b"},
      {"ECCL_X=$HOME/x", "$HOME/x"},
      {"A=1 ECCL_X=v B=2 run", "v"},
      {"mpirun -x ECCL_X=v \\", "v"},
      {"docker run --env ECCL_X=v image", "v"},
      {"docker run -e ECCL_X=v\\\n image", "v"},
      {"Environment=\"ECCL_X=v w\"", "v w"},
      {"args = ['-x', 'ECCL_X=v', 'b']", "v"},
      {"dict(ECCL_X=3, B=1)", "3"},
      {"os.environ['ECCL_X'] = 'v'", "v"},
      {"os.environ[\"ECCL_X\"]=\"v\"", "v"},
      {"os.environ[\"ECCL_X\"] = 3", "3"},
      {"os.environ.setdefault('ECCL_X', 'v')", "v"},
      {"os.putenv(\"ECCL_X\", \"v\")", "v"},
      {"{\"ECCL_X\": \"v\"}", "v"},
      {"{\"ECCL_X\" : true}", "true"},
      {"{'ECCL_X':1}", "1"},
      {"  ECCL_X: \"v\"", "v"},
      {"- ECCL_X: 1", "1"},
      {"ENV ECCL_X v w", "v w"},
      {"ENV ECCL_X=v", "v"},
      {"setenv ECCL_X v", "v"},
      {"text before\nECCL_X=v\ntext after", "v"},
      {"# a comment\nECCL_X=v", "v"},
      {"ECCL_X=v\r\n", "v"},
  };
  for (const auto& [text, value] : table) EXPECT_EQ(value_in(text), value) << text;
}

TEST(Settings, AreNotFoundWhereNothingIsSet) {
  for (const char* text : {"echo $ECCL_X",
                           "echo ${ECCL_X}",
                           "if [ ECCL_X == v ]",
                           "x == 'ECCL_X'",
                           "ECCL_X==v",
                           "os.environ.get('ECCL_X', 'v')",
                           "os.getenv(\"ECCL_X\", \"v\")",
                           "os.environ['ECCL_X']",
                           "os.environ['ECCL_X'] == 'v'",
                           "# export ECCL_X=v",
                           "   # ECCL_X=v",
                           "MY_ECCL_X=v",
                           "xECCL_X=v",
                           "ECCL_Xy=v",
                           "ECCL_=v",
                           "ECCL=v",
                           "XCCL_X=v",
                           "the variable ECCL_X is good",
                           "ECCL_X: int = compute()",
                           "self.ECCL_X=v",
                           "{\"ECCL_X\": compute()}",
                           "ENV ECCL_X",
                           "ECCL_X='never closed",
                           "{'ECCL_X': 'never\nclosed'}",
                           "",
                           "_",
                           "ECCL_X"}) {
    EXPECT_EQ(value_in(text), std::nullopt) << text;
  }
}

TEST(Settings, AreThoseOfVendorsOnly) {
  const Settings settings = settings_of(
      "ECCL_A=1\nENFLAME_A=1\nTOPS_A=1\nGCU_A=1\nPTEX_A=1\nNCCL_A=1\nHIP_A=1\nPATH=1\nTOPSPLATFORM_"
      "A=1\n");
  std::vector<std::string> names;
  for (const auto& [setting, times] : settings) names.push_back(setting.name);
  EXPECT_THAT(names, testing::ElementsAre("ECCL_A", "ENFLAME_A", "GCU_A", "HIP_A", "NCCL_A",
                                          "PTEX_A", "TOPS_A"));
}

TEST(Settings, AreCounted) {
  Settings settings = settings_of("ECCL_X=1\nECCL_X=2\nECCL_X=1\n");
  scan_settings("ECCL_X=1", settings);
  EXPECT_EQ(settings, (Settings{{{"ECCL_X", "1"}, 3}, {{"ECCL_X", "2"}, 1}}));
}

TEST(Settings, HaveBoundedPrintableValues) {
  EXPECT_EQ(value_in("ECCL_X=\"a\x1b[31m\xff\""), "a?[31m?");
  const auto value = value_in("ECCL_X=" + std::string(100'000, 'v'));
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->size(), 256U);
  EXPECT_TRUE(value->ends_with("..."));
  EXPECT_EQ(value_in("ECCL_" + std::string(1000, 'N') + "=1"), std::nullopt);
}

TEST(Settings, AreNoMoreThanTenThousand) {
  std::string text;
  for (int i = 0; i < 10'100; ++i) text += concat("ECCL_X", i, "=1\n");
  EXPECT_EQ(settings_of(text).size(), most_settings);
  text += "ECCL_X7=1\n";
  EXPECT_EQ(settings_of(text).at({"ECCL_X7", "1"}), 2U);
}

// What is asked here is that the time does not grow with the square of the size: the test would
// not end.
TEST(Settings, OfOneEndlessLineAreFound) {
  for (const std::string piece : {"ECCL_X='v' 'ECCL_X', ECCL_X ", "ECCL_X='", "ECCL_X=", "ECCL_X: ",
                                  "{'ECCL_X':", "ECCL_X=\\", "ENV ECCL_X "}) {
    std::string text(1U << 17U, ' ');
    while (text.size() < (1U << 18U)) text += piece;
    EXPECT_LE(settings_of(text).size(), 200U) << piece;
  }
}

}  // namespace
}  // namespace topsctl

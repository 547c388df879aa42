// The settings of an environment: what may be set, what is kept, and how it is read back.
#include "topsctl/model/environment_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> profiles = {"dev", "prod"};

EnvironmentSettings changed(const EnvironmentSettings& kept, const SettingOptions& wishes) {
  std::vector<std::string> warnings;
  const EnvironmentSettings settings = changed_settings(kept, wishes, profiles, warnings);
  EXPECT_THAT(warnings, IsEmpty());
  return settings;
}

Error refusal(const SettingOptions& wishes) {
  std::vector<std::string> warnings;
  const Error error = thrown_by([&] { changed_settings({}, wishes, profiles, warnings); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_FALSE(error.hint().empty());
  return error;
}

std::string file_with(const std::string& line) {
  return concat("# Environment of s\n", line, "\nexport A='b'\n");
}

TEST(EnvironmentSettings, StayAsTheyAreKeptWhenNothingIsWished) {
  const EnvironmentSettings kept = {"prod", {{"A", "b"}}, {"C"}};
  EXPECT_EQ(changed(kept, {}), kept);
}

TEST(EnvironmentSettings, AreChangedOneByOne) {
  const EnvironmentSettings kept = {"prod", {{"A", "b"}, {"D", "e"}}, {"C", "F"}};
  const SettingOptions wishes = {"dev", {"A=x=y", "C="}, {"D", "G"}, false};
  EXPECT_EQ(changed(kept, wishes),
            (EnvironmentSettings{"dev", {{"A", "x=y"}, {"C", ""}}, {"D", "F", "G"}}));
  EXPECT_EQ(changed(kept, {"none", {}, {}, false}).profile, "");
  EXPECT_EQ(changed(kept, {"", {"Z=1"}, {}, true}), (EnvironmentSettings{"", {{"Z", "1"}}, {}}));
}

TEST(EnvironmentSettings, RefuseAProfileThatTheStackDoesNotHave) {
  const Error error = refusal({"prot", {}, {}, false});
  EXPECT_THAT(error.message(), HasSubstr("'prot' (did you mean 'prod'?)"));
  EXPECT_THAT(error.hint(), HasSubstr("dev, prod"));
}

TEST(EnvironmentSettings, LeaveAKeptProfileOutThatTheStackDoesNotHave) {
  std::vector<std::string> warnings;
  EXPECT_EQ(changed_settings({"old", {{"A", "b"}}, {}}, {}, profiles, warnings),
            (EnvironmentSettings{"", {{"A", "b"}}, {}}));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("'old'")));
}

TEST(EnvironmentSettings, RefuseWhatCannotBeSet) {
  EXPECT_THAT(refusal({"", {"A"}, {}, false}).message(), HasSubstr("expected NAME=VALUE"));
  for (const char* wish : {"=b", "1A=b", "A B=c", "A-B=c", "Ä=b", "A;id=c", "A\n=c", "$(id)=c"})
    EXPECT_THAT(refusal({"", {wish}, {}, false}).message(), HasSubstr("expected a variable name"));
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "LD_PRELOAD", "LD_AUDIT"}) {
    EXPECT_THAT(refusal({"", {concat(name, "=/x")}, {}, false}).message(),
                HasSubstr("is a search path"));
    EXPECT_THAT(refusal({"", {}, {name}, false}).message(), HasSubstr("is a search path"));
  }
  for (const char* name : {"IFS", "BASH_ENV", "ENV", "UID", "HOME"})
    EXPECT_THAT(refusal({"", {concat(name, "=x")}, {}, false}).message(), HasSubstr("the shell"));
  EXPECT_THAT(refusal({"", {std::string("A=b\0c", 5)}, {}, false}).message(), HasSubstr("NUL"));
  EXPECT_THAT(refusal({"", {"A=\xff"}, {}, false}).message(), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal({"", {"A=b"}, {"A"}, false}).message(), HasSubstr("both"));
  EXPECT_THAT(refusal({"", {concat("A=", std::string(70000, 'x'))}, {}, false}).message(),
              HasSubstr("too long"));
}

TEST(EnvironmentSettings, TakeOneLineOrNone) {
  EXPECT_EQ(settings_line({}), "");
  EXPECT_EQ(settings_line({"prod", {{"A", "b"}}, {}}),
            "# topsctl settings: {\"profile\":\"prod\",\"set\":{\"A\":\"b\"}}\n");
  EXPECT_EQ(settings_line({"", {}, {"X"}}), "# topsctl settings: {\"unset\":[\"X\"]}\n");
}

TEST(EnvironmentSettings, AreReadBackWhateverTheValues) {
  for (const std::string value :
       {"", "a b", "a\nb", "\n# topsctl settings: {\"profile\":\"x\"}", "$(id)", "`id`",
        "a\"b\\c'd", "\t\r\x01\x7f", "große Zähne ☃ 🐧", "=", "%", "\xe2\x80\xa8"}) {
    const EnvironmentSettings settings = {"p", {{"A", value}, {"B", "1"}}, {"C"}};
    const std::string line = settings_line(settings);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const KeptSettings kept = environment_settings_in(concat("# head\n", line, "export A=1\n"));
    EXPECT_EQ(kept.settings, settings) << value;
    EXPECT_EQ(kept.warning, "");
  }
}

TEST(EnvironmentSettings, AreNoneInOtherFiles) {
  for (const char* text : {"", "#", "# comment", "export A=1\n", "\n", "# topsctl",
                           "export A='\n# topsctl settings: {\"profile\":\"x\"}\n'\n"}) {
    EXPECT_TRUE(environment_settings_in(text).settings.empty()) << text;
    EXPECT_EQ(environment_settings_in(text).warning, "") << text;
  }
}

TEST(EnvironmentSettings, AreNotUsedWhenTheLineIsDamaged) {
  const std::string begins = "# topsctl settings: ";
  for (const char* rest : {"",
                           "{",
                           "[]",
                           "null",
                           "{}",
                           "\"x\"",
                           "{\"profile\":1}",
                           "{\"profile\":\"\"}",
                           "{\"profile\":\"none\"}",
                           "{\"profile\":\"a\\nb\"}",
                           "{\"set\":[]}",
                           "{\"set\":{}}",
                           "{\"set\":{\"PATH\":\"/x\"}}",
                           "{\"set\":{\"LD_PRELOAD\":\"/x\"}}",
                           "{\"set\":{\"A;id\":\"1\"}}",
                           "{\"set\":{\"A\":1}}",
                           "{\"unset\":[1]}",
                           "{\"unset\":[\"A B\"]}",
                           "{\"other\":1}",
                           "{\"profile\":\"a\",\"profile\":\"b\"}",
                           "{\"profile\": \"a\"}",
                           "{\"profile\":\"a\"} ",
                           "{\"profile\":\"a\"}x",
                           "{\"set\":{\"B\":\"1\",\"A\":\"2\"}}",
                           "{\"set\":{\"A\":\"\\u0041\"}}",
                           "{\"set\":{\"A\":\"\xff\"}}",
                           "{\"set\":{\"A\":\"\\u0000\"}}"}) {
    const KeptSettings kept = environment_settings_in(file_with(begins + rest));
    EXPECT_TRUE(kept.settings.empty()) << rest;
    EXPECT_THAT(kept.warning, HasSubstr("damaged")) << rest;
  }
  const std::string sound = settings_line({"a", {}, {}});
  EXPECT_THAT(environment_settings_in(concat("# h\n", sound, sound)).warning, HasSubstr("twice"));
  const std::string long_line = concat("{\"profile\":\"", std::string(70000, 'a'), "\"}");
  EXPECT_THAT(environment_settings_in(file_with(begins + long_line)).warning, HasSubstr("long"));
}

TEST(EnvironmentSettings, AreAFullObjectInJson) {
  EXPECT_EQ(to_json(EnvironmentSettings{}).dump(), R"({"profile":null,"set":{},"unset":[]})");
  EXPECT_EQ(to_json(EnvironmentSettings{"p", {{"A", "b"}}, {"C"}}).dump(),
            R"({"profile":"p","set":{"A":"b"},"unset":["C"]})");
}

}  // namespace
}  // namespace topsctl

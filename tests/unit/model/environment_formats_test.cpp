// An environment in the words of each consumer; tests/peers has the consumers read them.
#include "topsctl/model/environment_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Property;

Environment sample(const std::string& value) {
  Environment environment;
  environment.stack = "s";
  environment.variables = {{"A", value, Grade::guide, "test"}};
  environment.paths = {{"PATH", {{"/opt/x/bin", false}, {"/usr/bin", false}}},
                       {"LD_LIBRARY_PATH", {{"/opt/x/lib", false}, {"/opt/y", true}}}};
  return environment;
}

TEST(EnvironmentFormats, HaveNamesThatLeadBackToThem) {
  EXPECT_THAT(environment_format_names(), ElementsAre("sh", "fish", "docker-env-file", "dockerfile",
                                                      "systemd", "json", "modulefile"));
  for (const std::string& each : environment_format_names())
    EXPECT_EQ(name(environment_format(each)), each);
  EXPECT_EQ(thrown_by([] { environment_format("csh"); }).code(), ErrorCode::usage);
}

TEST(EnvironmentFormats, WriteShellFilesAsTheEnvironmentFileIs) {
  EXPECT_EQ(environment_text(sample("b"), EnvironmentFormat::sh), shell_file(sample("b")));
}

TEST(EnvironmentFormats, WriteWholeSearchPathsWhereNothingIsAppended) {
  const Environment environment =
      as_found(sample("b c"), [](const std::string& folder) { return folder == "/opt/y"; });
  EXPECT_EQ(environment_text(environment, EnvironmentFormat::docker_env_file),
            "# Environment of s, written by topsctl.\n"
            "A=b c\n"
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/x/bin\n"
            "LD_LIBRARY_PATH=/opt/x/lib:/opt/y\n");
  EXPECT_EQ(environment_text(environment, EnvironmentFormat::json),
            "{\n  \"A\": \"b c\",\n"
            "  \"PATH\": "
            "\"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/x/bin\",\n"
            "  \"LD_LIBRARY_PATH\": \"/opt/x/lib:/opt/y\"\n}\n");
}

TEST(EnvironmentFormats, LeaveFoldersOutThatAreNotThere) {
  const Environment environment = as_found(sample(""), [](const std::string&) { return false; });
  EXPECT_THAT(environment.paths[1].entries, ElementsAre(SearchPathEntry{"/opt/x/lib", false}));
  EXPECT_THAT(environment_text(environment, EnvironmentFormat::systemd), Not(HasSubstr("/opt/y")));
}

TEST(EnvironmentFormats, AppendInDockerfilesToWhatTheImageHas) {
  EXPECT_EQ(environment_text(sample("a\"$b\\`c"), EnvironmentFormat::dockerfile),
            "# Environment of s, written by topsctl.\n"
            "ENV A=\"a\\\"\\$b\\\\`c\"\n"
            "ENV PATH=\"${PATH:+${PATH}:}/opt/x/bin:/usr/bin\"\n"
            "ENV LD_LIBRARY_PATH=\"${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH}:}/opt/x/lib:/opt/y\"\n");
}

TEST(EnvironmentFormats, QuoteByTheRulesOfEach) {
  EXPECT_THAT(environment_text(sample("a'b\\c"), EnvironmentFormat::fish),
              HasSubstr("set -gx A 'a\\'b\\\\c'\n"));
  EXPECT_THAT(environment_text(sample("5%\n\t\"\\"), EnvironmentFormat::systemd),
              HasSubstr("[Service]\nEnvironment=\"A=5%%\\n\\t\\\"\\\\\"\n"));
  EXPECT_THAT(environment_text(sample("{[$x]}\t"), EnvironmentFormat::modulefile),
              HasSubstr("setenv A \"\\{\\[\\$x\\]\\}\\u0009\"\n"));
  EXPECT_THAT(environment_text(sample("a\nb'"), EnvironmentFormat::modulefile),
              HasSubstr(R"(setenv-of-lines A "a\u000ab'" "'a\u000ab'\\'''" "'a\u000ab\\''")"
                        "\n"));
}

TEST(EnvironmentFormats, RefuseWhatTheyCannotCarryAndNameThoseThatCan) {
  const auto refusal = [](const std::string& value, EnvironmentFormat format) {
    const Error error = thrown_by([&] { environment_text(sample(value), format); });
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.message(), HasSubstr("the value of 'A'"));
    EXPECT_THAT(error.message(), HasSubstr(std::string(name(format))));
    return error;
  };
  const Error error = refusal("a\nb", EnvironmentFormat::docker_env_file);
  EXPECT_THAT(error.message(), HasSubstr("a line break"));
  EXPECT_THAT(error.hint(), HasSubstr("--format sh or fish or systemd or json or modulefile,"));
  refusal("a\rb", EnvironmentFormat::docker_env_file);
  refusal("a\nb", EnvironmentFormat::dockerfile);
  EXPECT_THAT(environment_text(sample("a"), EnvironmentFormat::modulefile),
              Not(HasSubstr("setenv-of-lines")));
  Environment environment = sample("a");
  environment.paths[0].entries[0].directory = "/a\nb";
  EXPECT_THAT(thrown_by([&] { environment_text(environment, EnvironmentFormat::modulefile); }),
              Property(&Error::message, HasSubstr("the value of 'PATH' contains a line break")));
  refusal("a\x01", EnvironmentFormat::systemd);
  refusal("\xff", EnvironmentFormat::json);
  refusal(std::string(70000, 'a'), EnvironmentFormat::docker_env_file);
}

TEST(JoinedEnvironment, AppendsEachFolderOnceToWhatIsThere) {
  const auto joined =
      joined_environment({{"PATH", "/bin:/opt/x/bin"}, {"A", "old"}, {"B", "1"}}, sample("new"));
  EXPECT_EQ(joined.at("PATH"), "/bin:/opt/x/bin:/usr/bin");
  EXPECT_EQ(joined.at("LD_LIBRARY_PATH"), "/opt/x/lib:/opt/y");
  EXPECT_EQ(joined.at("A"), "new");
  EXPECT_EQ(joined.at("B"), "1");
  EXPECT_EQ(joined_environment(joined, sample("new")), joined);
  EXPECT_EQ(joined_environment({{"LD_LIBRARY_PATH", ""}}, sample("")).at("LD_LIBRARY_PATH"),
            "/opt/x/lib:/opt/y");
}

}  // namespace
}  // namespace topsctl

// The environment of a stack, and its shell file read by real shells.
#include "topsctl/model/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/programs.hpp"
#include "support/sample_stack.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

std::string value_of(const Environment& environment, const std::string& name) {
  for (const EnvironmentVariable& variable : environment.variables) {
    if (variable.name == name) return variable.value;
  }
  return "(none)";
}

std::vector<std::string> folders_of(const Environment& environment, const std::string& name) {
  std::vector<std::string> folders;
  for (const SearchPath& path : environment.paths) {
    if (path.name != name) continue;
    for (const SearchPathEntry& entry : path.entries) folders.push_back(entry.directory);
  }
  return folders;
}

const std::vector<std::string> unusual_payload = {"/opt/tops/lib64/libeccl.so",
                                                  "/opt/sdk/lib/libdtu_sdk.so",
                                                  "/opt/tops/perf/eccl_all_reduce_perf"};

TEST(DeriveEnvironment, TakesEveryFolderFromThePayload) {
  const Environment environment = derive_environment(sample_stack(), unusual_payload);
  EXPECT_EQ(environment.stack, "topsrider-t2x 2.5.136");
  EXPECT_EQ(environment.file, "/etc/profile.d/topsrider.sh");
  EXPECT_EQ(value_of(environment, "ECCL_ROOT"), "/opt/tops");
  EXPECT_EQ(value_of(environment, "TOPS_SDK_PATH"), "/opt/sdk");
  EXPECT_EQ(value_of(environment, "ECCL_ASYNC_DISABLE"), "false");
  EXPECT_THAT(folders_of(environment, "LD_LIBRARY_PATH"),
              ElementsAre("/opt/tops/lib64", "/opt/sdk/lib", "/opt/tops/lib"));
  EXPECT_THAT(folders_of(environment, "PATH"), ElementsAre("/opt/tops/perf", "/opt/tops/bin"));
  EXPECT_THAT(environment.left_out, IsEmpty());
}

TEST(DeriveEnvironment, LeavesFoldersOutThatTheLoaderSearchesAnyway) {
  for (const char* folder : {"/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/lib64",
                             "/usr/lib/x86_64-linux-gnu", "/usr/local/lib"}) {
    const Environment environment = derive_environment(
        sample_stack(),
        {concat(folder, "/libeccl.so"), "/opt/s/libdtu_sdk.so", "/usr/bin/eccl_all_reduce_perf"});
    EXPECT_THAT(folders_of(environment, "LD_LIBRARY_PATH"), ElementsAre("/opt/s", "/opt/tops/lib"));
    EXPECT_THAT(folders_of(environment, "PATH"), ElementsAre("/usr/bin", "/opt/tops/bin"));
  }
}

TEST(DeriveEnvironment, NamesAFolderOnce) {
  const Environment environment = derive_environment(
      sample_stack(), {"/opt/tops/lib/libeccl.so", "/opt/tops/lib/libdtu_sdk.so"});
  EXPECT_THAT(folders_of(environment, "LD_LIBRARY_PATH"), ElementsAre("/opt/tops/lib"));
}

TEST(DeriveEnvironment, ListsWhatNoPackageHasAFileFor) {
  const Environment environment = derive_environment(sample_stack(), {});
  EXPECT_THAT(
      environment.left_out,
      UnorderedElementsAre("ECCL_ROOT", "TOPS_SDK_PATH", "LD_LIBRARY_PATH (libeccl.so)",
                           "LD_LIBRARY_PATH (libdtu_sdk.so)", "PATH (eccl_all_reduce_perf)"));
  EXPECT_EQ(value_of(environment, "ECCL_ROOT"), "(none)");
  EXPECT_THAT(environment.variables, SizeIs(5));
}

TEST(DeriveEnvironment, MatchesWholeFileNames) {
  const Environment environment = derive_environment(
      sample_stack(), {"/opt/a/libeccl.so.1", "/opt/b/xlibeccl.so", "/opt/libeccl.so/x"});
  EXPECT_EQ(value_of(environment, "ECCL_ROOT"), "(none)");
}

TEST(DeriveEnvironment, PutsNoFolderWithAColonIntoASearchPath) {
  const Environment environment = derive_environment(sample_stack(), {"/opt/a:b/libeccl.so"});
  EXPECT_THAT(folders_of(environment, "LD_LIBRARY_PATH"), ElementsAre("/opt/tops/lib"));
}

TEST(DeriveEnvironment, CallsTheFolderOfAFileAtTheTopByItsName) {
  const Environment environment =
      derive_environment(sample_stack(), {"/eccl_all_reduce_perf", "/lib/libeccl.so"});
  EXPECT_THAT(folders_of(environment, "PATH"), ElementsAre("/", "/opt/tops/bin"));
  EXPECT_EQ(value_of(environment, "ECCL_ROOT"), "/");
}

TEST(DeriveEnvironment, PutsAProfileOverTheStackAndTheOperatorOverBoth) {
  const EnvironmentSettings settings = {
      "prod",
      {{"ECCL_ASYNC_DISABLE", "true"}, {"ECCL_ROOT", "/mine"}, {"NEW", ""}},
      {"ECCL_DEBUG"}};
  const Environment environment = derive_environment(sample_stack(), {}, settings);
  EXPECT_EQ(value_of(environment, "ECCL_MAX_NCHANNELS"), "4");
  EXPECT_EQ(value_of(environment, "ECCL_ASYNC_DISABLE"), "true");
  EXPECT_EQ(value_of(environment, "ECCL_ROOT"), "/mine");
  EXPECT_EQ(value_of(environment, "NEW"), "");
  EXPECT_EQ(value_of(environment, "ECCL_DEBUG"), "(none)");
  EXPECT_THAT(environment.left_out, testing::Not(testing::Contains("ECCL_ROOT")));
  EXPECT_EQ(environment.variables.back().grade, Grade::chosen);
  EXPECT_EQ(environment.settings, settings);
  EXPECT_EQ(environment_settings_in(shell_file(environment)).settings, settings);
}

TEST(DeriveEnvironment, LeavesAProfileOutThatTheStackDoesNotHave) {
  EXPECT_EQ(derive_environment(sample_stack(), {}, {"other", {}, {}}),
            derive_environment(sample_stack(), {}));
}

// Sources the file `times` times in a real shell and prints `expression`.
class ShellFiles : public testing::TestWithParam<std::string> {
 protected:
  std::string sourced(const Environment& environment, const std::string& expression, int times = 1,
                      std::map<std::string, std::string> variables = {}) {
    folder_.write("env.sh", shell_file(environment));
    std::string script;
    for (int i = 0; i < times; ++i) script += concat(". ", (folder_ / "env.sh").string(), "\n");
    script += concat("printf %s \"", expression, "\"");
    if (variables.empty()) variables = plain_environment();
    const RunResult result =
        run_program({concat("/bin/", GetParam()), "-eu", "-c", script}, "", variables);
    EXPECT_TRUE(result.ok()) << result.output;
    return result.output;
  }

  TemporaryFolder folder_;
};

TEST_P(ShellFiles, SetEveryVariable) {
  const Environment environment = derive_environment(sample_stack(), unusual_payload);
  EXPECT_EQ(sourced(environment, "$ECCL_ROOT $TOPS_SDK_PATH $ECCL_ASYNC_DISABLE"),
            "/opt/tops /opt/sdk false");
}

TEST_P(ShellFiles, ReachChildren) {
  const Environment environment = derive_environment(sample_stack(), unusual_payload);
  EXPECT_EQ(sourced(environment, "$(/usr/bin/printenv ECCL_ROOT LD_LIBRARY_PATH)"),
            "/opt/tops\n/opt/tops/lib64:/opt/sdk/lib");
}

TEST_P(ShellFiles, ChangeNothingWhenReadTwice) {
  const Environment environment = derive_environment(sample_stack(), unusual_payload);
  const std::string all = "$PATH|$LD_LIBRARY_PATH|$ECCL_ROOT";
  EXPECT_EQ(sourced(environment, all, 2), sourced(environment, all, 1));
}

TEST_P(ShellFiles, AppendToWhatIsSetAndLeaveNoEmptyEntry) {
  const Environment environment = derive_environment(sample_stack(), unusual_payload);
  auto variables = plain_environment();
  variables["PATH"] = "/usr/bin";
  EXPECT_EQ(sourced(environment, "$PATH|$LD_LIBRARY_PATH", 1, variables),
            "/usr/bin:/opt/tops/perf|/opt/tops/lib64:/opt/sdk/lib");
  variables["LD_LIBRARY_PATH"] = "";
  EXPECT_EQ(sourced(environment, "$LD_LIBRARY_PATH", 1, variables), "/opt/tops/lib64:/opt/sdk/lib");
  variables["LD_LIBRARY_PATH"] = "/opt/sdk/lib";
  EXPECT_EQ(sourced(environment, "$LD_LIBRARY_PATH", 1, variables), "/opt/sdk/lib:/opt/tops/lib64");
}

TEST_P(ShellFiles, MakeNoEmptyEntryOfAFileAtTheTop) {
  const Environment environment = derive_environment(sample_stack(), {"/eccl_all_reduce_perf"});
  EXPECT_EQ(sourced(environment, "$PATH", 1, {{"PATH", "/usr/bin"}}), "/usr/bin:/");
}

TEST_P(ShellFiles, TakeAFixedFolderOnlyWhenItExists) {
  Environment environment;
  environment.stack = "s";
  folder_.make_folder("there");
  environment.paths = {
      {"LD_LIBRARY_PATH",
       {{(folder_ / "missing").string(), true}, {(folder_ / "there").string(), true}}}};
  EXPECT_EQ(sourced(environment, "$LD_LIBRARY_PATH"), (folder_ / "there").string());
  environment.paths[0].entries.pop_back();
  EXPECT_EQ(sourced(environment, "${LD_LIBRARY_PATH-unset}"), "unset");
}

TEST_P(ShellFiles, LeaveHostileValuesText) {
  for (const std::string value :
       {"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "a\"b", "a'b", "$HOME", "~", "a b",
        "*", "a\\", "a\nb", "--", "\"$(id)\"", "!x", "#c", "\xff"}) {
    Environment environment;
    environment.stack = "s";
    environment.variables = {{"HOSTILE", value, Grade::guide, "test"}};
    EXPECT_EQ(sourced(environment, "$HOSTILE", 2), value);
  }
}

TEST_P(ShellFiles, LeaveHostileFoldersText) {
  for (const std::string folder :
       {"/a b", "/$(id)", "/`id`", "/*", "/it's", "/~", "/a;b", "/[a]"}) {
    Environment environment;
    environment.stack = "s";
    environment.paths = {{"SEARCH", {{folder, false}, {"/plain", false}, {folder, true}}}};
    EXPECT_EQ(sourced(environment, "$SEARCH", 2), concat(folder, ":/plain"));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, ShellFiles, testing::Values("sh", "bash"),
                         [](const auto& info) { return info.param; });

TEST(EnvironmentJson, HasEveryField) {
  Environment environment = derive_environment(sample_stack(), {"/opt/e/lib/libeccl.so"});
  const Json json = to_json(environment);
  EXPECT_EQ(json["stack"], "topsrider-t2x 2.5.136");
  EXPECT_EQ(json["file"], "/etc/profile.d/topsrider.sh");
  EXPECT_EQ(json["variables"][5].dump(),
            R"({"name":"ECCL_ROOT","value":"/opt/e","grade":"guide","source":"deployment guide"})");
  EXPECT_EQ(json["paths"][0]["entries"].dump(),
            R"([{"directory":"/opt/e/lib","if_present":false},)"
            R"({"directory":"/opt/tops/lib","if_present":true}])");
  EXPECT_THAT(json["left_out"], SizeIs(3));
}

}  // namespace
}  // namespace topsctl

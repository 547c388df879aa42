// Interpreters and what is installed for them: real probes, scripted answers, dist-info folders.
#include "topsctl/host/python/python.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST(RecordedPaths, StartAtTheSiteDirectory) {
  InstalledWheel wheel;
  wheel.site_directory = "/usr/local/lib/python3.8/dist-packages";
  EXPECT_EQ(recorded_path(wheel, "torch_gcu/__init__.py"),
            "/usr/local/lib/python3.8/dist-packages/torch_gcu/__init__.py");
  EXPECT_EQ(recorded_path(wheel, "../../../bin/torch-info"), "/usr/local/bin/torch-info");
  EXPECT_EQ(recorded_path(wheel, "./a/../b"), "/usr/local/lib/python3.8/dist-packages/b");
  EXPECT_EQ(recorded_path(wheel, "/etc/x/../y"), "/etc/y");
  EXPECT_EQ(recorded_path(wheel, "../../../../../../../etc/passwd"), "/etc/passwd");
}

PythonFacts with_site(const std::string& site) {
  PythonFacts python;
  python.site_directories = {"/none", site};
  return python;
}

TEST(InstalledWheels, AreReadFromTheirDistInfo) {
  const SampleHost sample;
  const std::string info = "site/Torch_GCU-1.10.dist-info/";
  sample.folder.write(info + "METADATA", "Name: torch-gcu\nVersion: 1.10+2.5.136\n\nprose\n");
  sample.folder.write(info + "RECORD", "torch_gcu/a.py,sha256=x,1\n../../bin/t,sha256=y,1\n");
  sample.folder.write("site/numpy-1.dist-info/METADATA", "Name: numpy\nVersion: 1\n");
  const auto wheels = read_installed_wheels(sample.host, with_site("/site"), {"torch_gcu"});
  ASSERT_EQ(wheels.size(), 1U);
  EXPECT_EQ(wheels[0].name, "torch-gcu");
  EXPECT_EQ(wheels[0].version, "1.10+2.5.136");
  EXPECT_EQ(wheels[0].site_directory, "/site");
  EXPECT_EQ(wheels[0].dist_info, "Torch_GCU-1.10.dist-info");
  EXPECT_THAT(wheels[0].files, ElementsAre("torch_gcu/a.py", "../../bin/t"));
  EXPECT_THAT(wheels[0].record, StartsWith("torch_gcu/a.py,"));
}

TEST(InstalledWheels, ThatAreHalfGoneAreKnownByTheirFolder) {
  const SampleHost sample;
  sample.folder.make_folder("site/torch_gcu-1.dist-info");
  const auto wheels = read_installed_wheels(sample.host, with_site("/site"), {"torch_gcu"});
  ASSERT_EQ(wheels.size(), 1U);
  EXPECT_EQ(wheels[0].name, "torch_gcu");
  EXPECT_EQ(wheels[0].version, "");
  EXPECT_THAT(wheels[0].files, IsEmpty());
}

TEST(InstalledWheels, AreNotThoseWhoseNamesOnlyBeginAlike) {
  const SampleHost sample;
  sample.folder.make_folder("site/torch_gcu-1.dist-info");
  EXPECT_THAT(read_installed_wheels(sample.host, with_site("/site"), {"torch"}), IsEmpty());
}

RunResult reporting(const std::string& report) {
  RunResult result;
  result.status = 0;
  result.report = report;
  return result;
}

constexpr const char* answer =
    R"({"executable": "/usr/bin/python3.8", "version": "3.8.10", "minor": "3.8",)"
    R"( "cache_tag": "cpython-38", "pip_version": "20.0.2", "site_directories": ["/site"],)"
    R"( "script_directories": ["/usr/local/bin"], "externally_managed": false,)"
    R"( "in_virtual_environment": false})";

struct PythonHost : SampleHost {
  PythonHost() {
    fs::permissions(folder.write("usr/bin/python3.8", "#!"), fs::perms(0755));
    runner.on_run = [](const Command&) { return reporting(answer); };
  }
};

TEST(Interpreters, SayWhatTheyAre) {
  PythonHost sample;
  sample.folder.write("site/torch-1.8.dist-info/METADATA", "Name: torch\nVersion: 1.8\n");
  const auto python = read_python(sample.host, "/usr/bin/python3.8", {"torch"});
  ASSERT_TRUE(python.has_value());
  EXPECT_EQ(python->version, "3.8.10");
  EXPECT_EQ(python->minor, "3.8");
  EXPECT_EQ(python->cache_tag, "cpython-38");
  EXPECT_EQ(python->pip_version, "20.0.2");
  EXPECT_THAT(python->site_directories, ElementsAre("/site"));
  EXPECT_THAT(python->script_directories, ElementsAre("/usr/local/bin"));
  EXPECT_EQ(python->wheels.at(0).version, "1.8");
}

TEST(Interpreters, AreAskedInIsolation) {
  PythonHost sample;
  read_python(sample.host, "/usr/bin/python3.8", {});
  const std::vector<std::string>& argv = sample.runner.commands.at(0).argv;
  EXPECT_THAT(std::vector<std::string>(argv.begin(), argv.begin() + 4),
              ElementsAre("/usr/bin/python3.8", "-I", "-B", "-c"));
}

TEST(Interpreters, ThatAreNoProgramsAreNotAsked) {
  PythonHost sample;
  sample.folder.write("usr/bin/not-executable", "");
  fs::permissions(sample.folder / "usr/bin/not-executable", fs::perms(0644));
  for (const char* path : {"/usr/bin/python3.6", "/usr/bin/not-executable", "/usr/bin"}) {
    EXPECT_FALSE(read_python(sample.host, path, {}).has_value()) << path;
  }
  EXPECT_THAT(sample.runner.commands, IsEmpty());
}

TEST(Interpreters, ThatDoNotAnswerAreNone) {
  PythonHost sample;
  sample.runner.on_run = [](const Command&) { return reporting(""); };
  EXPECT_FALSE(read_python(sample.host, "/usr/bin/python3.8", {}).has_value());
  sample.runner.on_run = [](const Command&) {
    RunResult result = reporting(answer);
    result.status = 1;
    return result;
  };
  EXPECT_FALSE(read_python(sample.host, "/usr/bin/python3.8", {}).has_value());
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::host_unfit, "");
  };
  EXPECT_FALSE(read_python(sample.host, "/usr/bin/python3.8", {}).has_value());
}

TEST(Interpreters, ThatMayNotBeExecutedAreNone) {
  PythonHost sample;
  sample.host.root = "/";  // so that it cannot be the root directory that is closed to us
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::permission, "");
  };
  EXPECT_FALSE(read_python(sample.host, "/bin/true", {}).has_value());
  EXPECT_EQ(sample.runner.commands.size(), 1U);
}

TEST(Interpreters, ThatAnswerNonsenseAreNone) {
  PythonHost sample;
  for (const char* nonsense : {"no JSON", "{}", "[1]", R"({"executable": 1})"}) {
    sample.runner.on_run = [&](const Command&) { return reporting(nonsense); };
    EXPECT_FALSE(read_python(sample.host, "/usr/bin/python3.8", {}).has_value()) << nonsense;
  }
}

TEST(Interpreters, PassAnInterruptOn) {
  PythonHost sample;
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::interrupted, "");
  };
  EXPECT_EQ(thrown_by([&] { read_python(sample.host, "/usr/bin/python3.8", {}); }).code(),
            ErrorCode::interrupted);
}

// The machine the tests run on; its Python is part of what they need.
struct RealHost {
  SystemRunner runner;
  SystemClock clock;
  Host host{"/", &runner, &clock, {}};
};

TEST(RealInterpreters, AnswerTheProbe) {
  RealHost real;
  const auto python = read_python(real.host, "/usr/bin/python3", {});
  ASSERT_TRUE(python.has_value());
  EXPECT_THAT(python->version, MatchesRegex("3\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(python->version, StartsWith(concat(python->minor, ".")));
  EXPECT_THAT(python->cache_tag, StartsWith("cpython-3"));
  EXPECT_THAT(python->site_directories, Not(IsEmpty()));
  EXPECT_THAT(python->script_directories, Contains("/usr/local/bin"));
  EXPECT_FALSE(python->in_virtual_environment);
}

}  // namespace
}  // namespace topsctl

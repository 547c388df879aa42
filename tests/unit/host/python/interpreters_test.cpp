// Which interpreters are found on a machine, which are asked, and which are not.
#include "topsctl/host/python/interpreters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Every program answers as the interpreter that its name says.
struct PythonsHost : SampleHost {
  std::vector<std::string> left_out;
  std::vector<std::string> usual;

  PythonsHost() {
    ::chmod(folder.path().c_str(), 0755);
    runner.on_run = [](const Command&) {
      RunResult result;
      result.status = 0;
      result.report =
          R"({"executable": "/x", "version": "3.8.10", "minor": "3.8", "cache_tag": "cpython-38",)"
          R"( "pip_version": "20.0.2", "site_directories": ["/site"], "script_directories": [],)"
          R"( "externally_managed": false, "in_virtual_environment": false})";
      return result;
    };
  }

  void add(const std::string& path) const {
    fs::permissions(folder.write(path.substr(1), "#!"), fs::perms(0755));
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories((folder / path.substr(1)).parent_path());
    fs::create_symlink(target, folder / path.substr(1));
  }
  std::vector<PythonFacts> find(const std::vector<std::string>& named = {}) {
    left_out.clear();
    return find_interpreters(host, named, usual,
                             [&](const std::string& why) { left_out.push_back(why); });
  }
  std::vector<std::string> found(const std::vector<std::string>& named = {}) {
    std::vector<std::string> paths;
    for (const PythonFacts& python : find(named)) paths.push_back(python.executable);
    return paths;
  }
};

TEST(FoundInterpreters, OfAStackComeFirstWhereverTheyAre) {
  PythonsHost sample;
  for (const char* path : {"/usr/bin/python3", "/srv/venv/bin/python3"}) sample.add(path);
  sample.usual = {"/usr/bin/python3.6", "/srv/venv/bin/python3"};
  EXPECT_THAT(sample.found(), ElementsAre("/srv/venv/bin/python3", "/usr/bin/python3"));
  EXPECT_THAT(sample.left_out, IsEmpty()) << "one that is not there is no news";
  fs::permissions(sample.folder / "srv/venv/bin/python3", fs::perms(0777));
  EXPECT_THAT(sample.found(), ElementsAre("/usr/bin/python3")) << "a stack makes nobody trusted";
}

TEST(FoundInterpreters, AreThoseOfTheUsualFolders) {
  PythonsHost sample;
  for (const char* path :
       {"/usr/bin/python3.8", "/usr/bin/python3.10", "/usr/local/bin/python3.6",
        "/opt/conda/bin/python3", "/opt/b/lib/python3", "/usr/bin/python3-config",
        "/usr/bin/python2.7", "/usr/bin/python3.8-dbg", "/usr/bin/python", "/usr/bin/python3.x"}) {
    sample.add(path);
  }
  EXPECT_THAT(sample.found(), ElementsAre("/usr/bin/python3.10", "/usr/bin/python3.8",
                                          "/usr/local/bin/python3.6", "/opt/conda/bin/python3"));
  EXPECT_THAT(sample.left_out, IsEmpty());
}

TEST(FoundInterpreters, AreAskedOnceUnderTheFirstOfTheirNames) {
  PythonsHost sample;
  sample.add("/usr/bin/python3.8");
  sample.link("/usr/bin/python3", "python3.8");
  sample.link("/usr/local/bin/python3", "/usr/bin/python3");
  EXPECT_THAT(sample.found(), ElementsAre("/usr/bin/python3"));
  EXPECT_EQ(sample.runner.commands.size(), 1U);
}

TEST(FoundInterpreters, OfAVirtualEnvironmentAreTheirOwn) {
  PythonsHost sample;
  sample.add("/usr/bin/python3.8");
  sample.link("/opt/venv/bin/python3", "/usr/bin/python3.8");
  sample.link("/opt/venv/bin/python3.8", "python3");
  sample.folder.write("opt/venv/pyvenv.cfg", "home = /usr/bin\n");
  EXPECT_THAT(sample.found(), ElementsAre("/usr/bin/python3.8", "/opt/venv/bin/python3"));
}

TEST(FoundInterpreters, BeginWithThoseThatWereNamed) {
  PythonsHost sample;
  sample.add("/srv/own/python");
  sample.add("/usr/bin/python3.8");
  sample.add("/usr/local/bin/python3.9");
  EXPECT_THAT(sample.found({"/srv/own/python", "python3.9", "/srv/own/python"}),
              ElementsAre("/srv/own/python", "/usr/local/bin/python3.9", "/usr/bin/python3.8"));
}

TEST(FoundInterpreters, DoNotStopAtOneThatDoesNotAnswer) {
  PythonsHost sample;
  sample.add("/usr/bin/python3.6");
  sample.add("/usr/bin/python3.7");
  sample.add("/usr/bin/python3.8");
  const auto answer = sample.runner.on_run;
  sample.runner.on_run = [answer](const Command& command) -> RunResult {
    if (command.argv[0].ends_with("6")) throw Error(ErrorCode::host_unfit, "");
    if (command.argv[0].ends_with("7")) return {};
    return answer(command);
  };
  EXPECT_THAT(sample.found({"/none/python3"}), ElementsAre("/usr/bin/python3.8"));
  EXPECT_THAT(sample.left_out,
              ElementsAre("'/none/python3' does not answer", "'/usr/bin/python3.6' does not answer",
                          "'/usr/bin/python3.7' does not answer"));
}

TEST(FoundInterpreters, ThatOthersCanChangeAreAskedOnlyWhenNamed) {
  PythonsHost sample;
  sample.add("/usr/bin/python3.8");
  sample.add("/opt/open/bin/python3");
  sample.add("/opt/writable/bin/python3");
  sample.link("/opt/link/bin/python3", "/srv/python");
  sample.add("/srv/python");
  fs::permissions(sample.folder / "opt/open/bin/python3", fs::perms(0757));
  fs::permissions(sample.folder / "opt/writable", fs::perms(0777));
  fs::permissions(sample.folder / "srv", fs::perms(0777));
  EXPECT_THAT(sample.found(), ElementsAre("/usr/bin/python3.8"));
  EXPECT_EQ(sample.left_out.size(), 3U);
  EXPECT_THAT(sample.left_out.at(0),
              HasSubstr("'/opt/link/bin/python3' can be changed by users other than root; name it "
                        "with --python to query it"));
  EXPECT_THAT(sample.found({"/opt/open/bin/python3"}),
              ElementsAre("/opt/open/bin/python3", "/usr/bin/python3.8"));
}

TEST(FoundInterpreters, ThatBelongToSomebodyElseAreAskedOnlyWhenNamed) {
  if (!is_root_user()) GTEST_SKIP() << "needs root: it gives a file away";
  PythonsHost sample;
  sample.add("/opt/conda/bin/python3");
  ASSERT_EQ(::chown((sample.folder / "opt/conda").c_str(), 65534, 65534), 0);
  EXPECT_THAT(sample.found(), IsEmpty());
  EXPECT_THAT(sample.runner.commands, IsEmpty());
}

TEST(FoundInterpreters, InALoopOfLinksAreLeftOut) {
  PythonsHost sample;
  sample.link("/usr/bin/python3", "python3.8");
  sample.link("/usr/bin/python3.8", "python3");
  EXPECT_THAT(sample.found(), IsEmpty());
  EXPECT_EQ(sample.left_out.size(), 2U);
}

TEST(FoundInterpreters, AreAtMostSixteen) {
  PythonsHost sample;
  for (int i = 0; i < 30; ++i) sample.add(concat("/opt/p", i, "/bin/python3"));
  EXPECT_EQ(sample.found().size(), 16U);
  EXPECT_THAT(sample.left_out, ElementsAre(HasSubstr("and later interpreters were not queried")));
}

TEST(FoundInterpreters, PassAnInterruptOn) {
  PythonsHost sample;
  sample.add("/usr/bin/python3");
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::interrupted, "");
  };
  EXPECT_EQ(thrown_by([&] { sample.find(); }).code(), ErrorCode::interrupted);
}

TEST(FoundInterpreters, TellWhatIsInstalledForThem) {
  PythonsHost sample;
  sample.add("/usr/bin/python3");
  sample.folder.write("site/torch-1.8.dist-info/METADATA", "Name: torch\nVersion: 1.8\n");
  sample.folder.write("site/numpy-1.17.egg-info", "Name: numpy\nVersion: 1.17.4\n");
  const PythonFacts python = sample.find().at(0);
  ASSERT_EQ(python.wheels.size(), 2U);
  EXPECT_EQ(python.wheel("torch")->version, "1.8");
  EXPECT_EQ(python.wheel("numpy")->version, "1.17.4");
  EXPECT_THAT(python.egg_infos, ElementsAre("numpy"));
  EXPECT_EQ(python.pip_version, "20.0.2");
}

TEST(FoundInterpreters, AnswerInPrintableText) {
  PythonsHost sample;
  sample.add("/usr/bin/python3");
  sample.runner.on_run = [](const Command&) {
    RunResult result;
    result.status = 0;
    result.report =
        R"({"executable": "/x", "version": "3.8\u001b[31m", "minor": "3\n8", "cache_tag": "",)"
        R"( "pip_version": "", "site_directories": ["/si\u0000te", "/ok"],)"
        R"( "script_directories": ["/a\nb"], "externally_managed": false,)"
        R"( "in_virtual_environment": false})";
    return result;
  };
  const PythonFacts python = sample.find().at(0);
  EXPECT_EQ(python.version, "3.8?[31m");
  EXPECT_EQ(python.minor, "3?8");
  EXPECT_THAT(python.site_directories, ElementsAre("/ok"));
  EXPECT_THAT(python.script_directories, IsEmpty());
}

}  // namespace
}  // namespace topsctl

// The JSON form of packages: every field, null for nothing.
#include "topsctl/model/package.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

TEST(PackageJson, HasEveryFieldAndNullForNothing) {
  EXPECT_EQ(to_json(Package{}).dump(),
            R"({"path":"","container":[],"kind":"other","name":null,"version":null,)"
            R"("architecture":null,"python":null,"depends":[],"size":0,"installed_size":null,)"
            R"("sha256":null,"component":null,"stack":null,"chosen":false,"files":null,)"
            R"("verdict":"unknown","problem":null})");
}

TEST(PackageJson, ShowsWhatIsKnown) {
  Package package;
  package.path = "deb/x.deb";
  package.container = {"outer.run"};
  package.kind = PackageKind::wheel;
  package.name = "torch_gcu";
  package.version = "1";
  package.architecture = "any";
  package.python = PythonNeeds{">=3.6", {"py3.8-none-any"}, "3.8"};
  package.depends = {"numpy"};
  package.size = 5;
  package.installed_size = 6;
  package.sha256 = "ab";
  package.component = "torch_gcu";
  package.stack = "s";
  package.chosen = true;
  package.files = {{"a/b.py", PayloadEntry::Type::file, 3},
                   {"a", PayloadEntry::Type::directory, 0},
                   {"c", PayloadEntry::Type::symlink, 0},
                   {"d", PayloadEntry::Type::hardlink, 0},
                   {"e", PayloadEntry::Type::other, 0}};
  package.verdict = Verdict::component;
  package.problem = "none";
  EXPECT_EQ(to_json(package).dump(),
            R"({"path":"deb/x.deb","container":["outer.run"],"kind":"wheel","name":"torch_gcu",)"
            R"("version":"1","architecture":"any","python":{"requires":">=3.6",)"
            R"("tags":["py3.8-none-any"],"minor":"3.8"},"depends":["numpy"],"size":5,)"
            R"("installed_size":6,"sha256":"ab","component":"torch_gcu","stack":"s","chosen":true,)"
            R"("files":[{"path":"a/b.py","type":"file","size":3},)"
            R"({"path":"a","type":"directory","size":0},{"path":"c","type":"symlink","size":0},)"
            R"({"path":"d","type":"hardlink","size":0},{"path":"e","type":"other","size":0}],)"
            R"("verdict":"component","problem":"none"})");
}

TEST(PackageJson, TellsAnyPythonFromNoPython) {
  Package package;
  package.python = PythonNeeds{};
  EXPECT_EQ(to_json(package)["python"].dump(), R"({"requires":null,"tags":[],"minor":null})");
}

TEST(PackageNames, OfKindsAndVerdictsAreThoseOfTheInterface) {
  EXPECT_EQ(name(PackageKind::deb), "deb");
  EXPECT_EQ(name(PackageKind::wheel), "wheel");
  EXPECT_EQ(name(PackageKind::runfile), "runfile");
  EXPECT_EQ(name(PackageKind::other), "other");
  EXPECT_EQ(name(Verdict::component), "component");
  EXPECT_EQ(name(Verdict::archived), "archived");
  EXPECT_EQ(name(Verdict::unknown), "unknown");
  EXPECT_EQ(name(Verdict::broken), "broken");
}

}  // namespace
}  // namespace topsctl

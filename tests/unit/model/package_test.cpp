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
            R"("sha256":null,"component":null,"stack":null,"chosen":false,)"
            R"("verdict":"unknown","problem":null,"deb":null,"wheel":null,)"
            R"("files_are_claims":false})");
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
            R"("verdict":"component","problem":"none","deb":null,"wheel":null,)"
            R"("files_are_claims":false})");
}

TEST(PackageJson, OfAPayloadEntryTellsWhatIsReadFromWhatIsClaimed) {
  PayloadEntry entry;
  entry.path = "/usr/bin/x";
  entry.size = 3;
  entry.mode = 04755;
  entry.owner = "root/root";
  entry.mtime = 17;
  EXPECT_EQ(to_json(entry, Listing::read).dump(),
            R"({"path":"/usr/bin/x","type":"file","size":3,"mode":"4755","owner":"root/root",)"
            R"("mtime":17,"link_target":null})");
  EXPECT_EQ(to_json(PayloadEntry{"/a"}, Listing::claimed).dump(),
            R"({"path":"/a","type":"file","size":null,"mode":null,"owner":null,)"
            R"("mtime":null,"link_target":null})");
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

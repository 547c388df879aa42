// Paths inside a root directory: no link and no ".." leads out of it.
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

class RootPaths : public testing::Test {
 protected:
  std::string kept(std::string_view path) const { return canonical_in_root(root(), path); }
  std::string followed(std::string_view path) const {
    return canonical_in_root(root(), path, LastLink::follow);
  }
  void link(std::string_view name, const std::string& target) const {
    fs::create_directories((folder_ / name).parent_path());
    fs::create_symlink(target, folder_ / name);
  }
  const fs::path& root() const { return folder_.path(); }

  TemporaryFolder folder_;
};

TEST_F(RootPaths, StayAsTheyAreWithoutLinks) {
  folder_.make_folder("usr/lib");
  EXPECT_EQ(kept("/usr/lib"), "/usr/lib");
  EXPECT_EQ(kept("/usr/./lib//x/"), "/usr/lib/x");
  EXPECT_EQ(kept("/"), "/");
  EXPECT_EQ(kept(""), "/");
  EXPECT_EQ(resolved_in_root(root(), "/usr/lib"), root() / "usr/lib");
}

TEST_F(RootPaths, AreThemselvesInTheRealRoot) {
  EXPECT_EQ(resolved_in_root("/", "/nonexistent/x"), "/nonexistent/x");
  EXPECT_EQ(resolved_in_root("/", "/"), "/");
}

TEST_F(RootPaths, TakeMissingPartsAsTheyStand) {
  EXPECT_EQ(kept("/no/such/thing"), "/no/such/thing");
  EXPECT_EQ(kept("/no/such/../thing"), "/no/thing");
}

TEST_F(RootPaths, FollowAbsoluteLinksInsideTheRoot) {
  link("lib", "/usr/lib");
  folder_.make_folder("usr/lib");
  EXPECT_EQ(kept("/lib/libeccl.so"), "/usr/lib/libeccl.so");
  EXPECT_EQ(resolved_in_root(root(), "/lib/libeccl.so"), root() / "usr/lib/libeccl.so");
}

TEST_F(RootPaths, StartAnewAtTheRootForAnAbsoluteLinkDeepDown) {
  link("etc/alternatives/python", "/usr/bin/python3.8");
  EXPECT_EQ(followed("/etc/alternatives/python"), "/usr/bin/python3.8");
  link("var/lib/site", "/usr/lib");
  EXPECT_EQ(kept("/var/lib/site/x"), "/usr/lib/x");
}

TEST_F(RootPaths, FollowRelativeLinks) {
  link("usr/lib64", "lib");
  link("usr/local/lib", "../lib64");
  folder_.make_folder("usr/lib");
  EXPECT_EQ(kept("/usr/local/lib/x"), "/usr/lib/x");
}

TEST_F(RootPaths, NeverClimbOutOfTheRoot) {
  EXPECT_EQ(kept("/../../etc/passwd"), "/etc/passwd");
  link("out", "../../../../../../../../etc");
  EXPECT_EQ(kept("/out/passwd"), "/etc/passwd");
  link("a/b/up", "../../../..");
  EXPECT_EQ(kept("/a/b/up/etc/passwd"), "/etc/passwd");
  EXPECT_EQ(resolved_in_root(root(), "/out/passwd"), root() / "etc/passwd");
}

TEST_F(RootPaths, KeepOrFollowTheLastLinkAsAsked) {
  link("etc/os-release", "../usr/lib/os-release");
  EXPECT_EQ(kept("/etc/os-release"), "/etc/os-release");
  EXPECT_EQ(kept("/etc/os-release/"), "/etc/os-release");
  EXPECT_EQ(kept("/etc/os-release/."), "/etc/os-release");
  EXPECT_EQ(followed("/etc/os-release"), "/usr/lib/os-release");
}

TEST_F(RootPaths, FollowALinkThatIsOnlyThenLast) {
  link("a", "b");
  link("b", "/c");
  EXPECT_EQ(followed("/a"), "/c");
  EXPECT_EQ(kept("/a"), "/a");
}

TEST_F(RootPaths, StepBackFromWhereALinkLed) {
  link("short", "/deep/down/here");
  folder_.make_folder("deep/down/here");
  EXPECT_EQ(kept("/short/../x"), "/deep/down/x");
}

TEST_F(RootPaths, RefuseLoops) {
  link("a", "b");
  link("b", "a");
  link("self", "self/x");
  EXPECT_EQ(thrown_by([&] { kept("/a/x"); }).code(), ErrorCode::host_unfit);
  EXPECT_EQ(thrown_by([&] { followed("/a"); }).code(), ErrorCode::host_unfit);
  EXPECT_EQ(thrown_by([&] { followed("/self"); }).code(), ErrorCode::host_unfit);
  EXPECT_EQ(kept("/a"), "/a") << "a link that is kept is not looked into";
}

TEST_F(RootPaths, TakeAsManyLinksAsTheKernel) {
  for (int i = 0; i < 40; ++i) link("l" + std::to_string(i), "l" + std::to_string(i + 1));
  EXPECT_EQ(followed("/l0"), "/l40");
}

TEST_F(RootPaths, DoNotLookBelowAFile) {
  folder_.write("file", "x");
  EXPECT_EQ(kept("/file/below"), "/file/below");
}

}  // namespace
}  // namespace topsctl

// What stands against an install: told at once, unless it is accepted; paths that may not be
// changed.
#include "topsctl/engine/planning/preflight.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "support/sample_host.hpp"
#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/bundle_findings.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Finding conflict(const std::string& path) {
  return make_finding("file-conflict", "deb/a.deb", {{path, 0, "belongs to b"}});
}

TEST(Refusals, NeedAnError) {
  EXPECT_FALSE(refusal_of({}, {}).has_value());
  EXPECT_FALSE(refusal_of({make_finding("needs-several-calls", "a.deb")}, {}).has_value());
  EXPECT_TRUE(refusal_of({conflict("/x")}, {}).has_value());
}

TEST(Refusals, TellEverythingAndHowToGoOn) {
  const Error error =
      refusal_of({make_finding("no-space", "/opt"), conflict("/x")}, {}).value_or(Error({}, ""));
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("no-space: "), HasSubstr("/opt"),
                                     HasSubstr("file-conflict: "), HasSubstr("/x: belongs to b")));
  EXPECT_THAT(error.hint(),
              AllOf(HasSubstr("Free the missing space"), HasSubstr("--accept no-space")));
}

TEST(Refusals, LeaveOutWhatIsAccepted) {
  EXPECT_FALSE(refusal_of({conflict("/x")}, {"file-conflict"}).has_value());
  const auto error = refusal_of({conflict("/x"), make_finding("no-space", "/")}, {"file-conflict"});
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message(), Not(HasSubstr("file-conflict")));
}

TEST(Refusals, OfADowngradeNameItsOwnOption) {
  const std::vector<Finding> downgrade = {
      make_finding(downgrade_finding, "a.deb", {{"target", 0, "a 2 is installed"}})};
  const Error error = refusal_of(downgrade, {}).value_or(Error({}, ""));
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("a 2 is installed"));
  EXPECT_THAT(error.hint(), AllOf(HasSubstr("--allow-downgrade"), Not(HasSubstr("--accept"))));
  EXPECT_FALSE(refusal_of(downgrade, {downgrade_finding}).has_value());
}

TEST(Refusals, AreBounded) {
  std::vector<Finding> many;
  for (int i = 0; i < 100; ++i) many.push_back(conflict(concat("/x", i)));
  const auto error = refusal_of(many, {});
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->message(), HasSubstr("and 92 more"));
  EXPECT_THAT(error->message(), SizeIs(testing::Lt(4000U)));
}

class PackagesAtFault : public testing::Test {
 protected:
  void judge(const std::set<std::string>& accepted = {}) {
    std::vector<Contents> contents(selection_.packages.size());
    contents.front().strange = {{StrangeEntry::Kind::device, "/dev/sda", "block 8:0"}};
    Inspection inspection;
    inspection.inventory.packages = selection_.packages;
    for (std::size_t i = 0; i < contents.size(); ++i) inspection.contents[i] = contents[i];
    preflight(TargetSnapshot(), stack_, selection_, std::move(contents),
              bundle_findings(inspection), accepted);
  }

  Stack stack_ = sample_stack();
  HostFacts facts_ = sample_facts();
  Selection selection_ = select_packages(stack_, sample_inventory(), facts_, {"eccl"});
};

TEST_F(PackagesAtFault, AreRefusedAsInspectCallsThem) {
  const Error error = thrown_by([&] { judge({"architecture-differs"}); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("device-file: "), HasSubstr("/dev/sda")));
  EXPECT_THAT(error.hint(), HasSubstr("--accept device-file"));
}

TEST_F(PackagesAtFault, AreTakenIfThatIsAccepted) {
  EXPECT_NO_THROW(judge({"architecture-differs", "device-file"}));
}

// What inspect calls an error of a wheel, from its metadata or from its members, install refuses.
TEST_F(PackagesAtFault, AreRefusedForGoodIfTheyAreWheels) {
  selection_ = select_packages(stack_, sample_inventory(), facts_, {"torch_gcu"});
  Package& wheel = selection_.packages.front();
  wheel.wheel->file_version = wheel.version;
  wheel.wheel->faults = {{"wheel-malformed", "WHEEL", "it has no Wheel-Version"}};
  wheel.files->push_back({"pip-99.dist-info/METADATA", PayloadEntry::Type::file, 1});
  const Error error = thrown_by([&] { judge({"wheel-malformed", "device-file"}); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(),
              AllOf(HasSubstr("wheel-malformed: "), HasSubstr("WHEEL: it has no"),
                    HasSubstr("device-file: "), HasSubstr("wheel-second-distribution: ")));
  EXPECT_THAT(error.hint(), AllOf(HasSubstr("`topsctl inspect BUNDLE --deep` shows everything"),
                                  Not(HasSubstr("--accept"))));
}

class ProtectedPaths : public testing::Test {
 protected:
  // Whether the file system of the test's folder has such marks.
  bool protect(const std::string& name, bool wanted) {
    const Descriptor file(::open((sample_.folder / name).c_str(), O_RDONLY | O_CLOEXEC));
    int flags = 0;
    if (::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) != 0) return false;
    flags = wanted ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    return ::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) == 0;
  }

  SampleHost sample_;
};

TEST(OwnFolders, HoldWhatTheStacksPackagesAlonePutThere) {
  const std::map<std::string, std::vector<std::string>> owners = {
      {"/etc/tops/a", {"tops-sdk"}},          {"/opt/tops/bin/x", {"tops-eccl"}},
      {"/opt/tops/lib/y", {"tops-sdk"}},      {"/opt/tops/shared/z", {"other", "tops-sdk"}},
      {"/usr/lib/libeccl.so", {"tops-eccl"}}, {"/var/lib/tops", {"tops-sdk"}},
      {"/var/spool/mail", {"other"}}};
  EXPECT_THAT(own_folders({"/etc", "/etc/tops", "/opt", "/opt/tops", "/opt/tops/bin",
                           "/opt/tops/shared", "/usr", "/usr/lib", "/usr/lib/x86_64-linux-gnu",
                           "/usr/local/bin", "/var/lib/tops", "/opt/tops-new"},
                          {"tops-sdk", "tops-eccl"}, owners),
              testing::ElementsAre("/etc/tops", "/opt/tops-new", "/opt/tops/bin", "/var/lib/tops"))
      << "/opt/tops has a part of others";
}

TEST_F(ProtectedPaths, AreRefused) {
  sample_.folder.write("etc/free", "x");
  sample_.folder.write("etc/kept", "x");
  const WriteSet free = {{"/etc/free", "/etc/none"}};
  const WriteSet kept = {{"/etc/kept"}};
  require_changeable(sample_.host, free);
  require_changeable(sample_.host, kept);
  if (!protect("etc/kept", true)) GTEST_SKIP() << "no immutable files here";
  const Error error = thrown_by([&] { require_changeable(sample_.host, kept); });
  protect("etc/kept", false);
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("/etc/kept"));
  EXPECT_THAT(error.hint(),
              HasSubstr(concat("chattr -ia ", (sample_.folder / "etc/kept").string())));
  require_changeable(sample_.host, free);
}

TEST_F(ProtectedPaths, IncludeTheFoldersAbove) {
  sample_.folder.write("etc/x/y", "x");
  if (!protect("etc/x", true)) GTEST_SKIP() << "no immutable files here";
  const Error error = thrown_by([&] { require_changeable(sample_.host, {{"/etc/x/new"}}); });
  const Error family = thrown_by([&] { require_changeable(sample_.host, {{}, {{"/etc/x", ""}}}); });
  protect("etc/x", false);
  EXPECT_THAT(error.message(), HasSubstr("/etc/x"));
  EXPECT_THAT(family.message(), HasSubstr("/etc/x"));
}

}  // namespace
}  // namespace topsctl

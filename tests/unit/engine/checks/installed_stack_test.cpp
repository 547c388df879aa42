// Which stack a host has.
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {
namespace {

std::string status_of(const std::vector<std::string>& names, const std::string& version,
                      const std::string& status = "install ok installed") {
  std::string text;
  for (const std::string& name : names) {
    text += "Package: " + name + "\nStatus: " + status +
            "\nArchitecture: amd64\nMaintainer: m\nVersion: " + version + "\nDescription: d\n\n";
  }
  return text;
}

const std::vector<std::string> debs = {"tops-eccl", "tops-sdk", "topsfactor"};

TEST(InstalledStacks, AreThoseOfWhichAllDebsAreThere) {
  SampleHost sample;
  sample.folder.write("var/lib/dpkg/status", status_of(debs, "2.5.136-1"));
  const auto found = installed_stack(sample.host);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->environment.generation, "t2x");
}

TEST(InstalledStacks, AreNotOtherVersionsOrHalfOfTheDebs) {
  SampleHost sample;
  for (const std::string& status :
       {status_of(debs, "4.5.1-1"), status_of({"tops-eccl"}, "2.5.136-1"), std::string(),
        status_of(debs, "2.5.136-1", "deinstall ok config-files")}) {
    sample.folder.write("var/lib/dpkg/status", status);
    EXPECT_FALSE(installed_stack(sample.host)) << status;
  }
}

TEST(InstalledStacks, NeedNoDpkg) {
  SampleHost sample;
  EXPECT_FALSE(installed_stack(sample.host));
}

TEST(InstalledStacks, AreAtTheReleaseOfTheirDebs) {
  for (const auto& [version, title] : {std::pair("2.4.87-1", "topsrider-t2x 2.4.87"),
                                       {"2.5.20231128-1", "topsrider-t2x 2.5.20231128"},
                                       {"3.5.1-1", "topsrider-i3x 3.5.1"}}) {
    const auto found = stack_among(known_stacks(), parse_packages(status_of(debs, version)));
    ASSERT_TRUE(found) << version;
    EXPECT_EQ(title_of(*found), title);
  }
}

TEST(InstalledStacks, OfMixedReleasesAreAtTheFirstDebs) {
  const std::string mixed =
      status_of({"tops-eccl"}, "2.4.87-1") + status_of({"tops-sdk", "topsfactor"}, "2.5.136-1");
  EXPECT_EQ(title_of(*stack_among(known_stacks(), parse_packages(mixed))), "topsrider-t2x 2.4.87");
}

TEST(InstalledStacks, GiveAChosenStackItsRelease) {
  SampleHost sample;
  EXPECT_EQ(title_of(stack_on(sample.host, "")), "topsrider-t2x");
  sample.folder.write("var/lib/dpkg/status", status_of(debs, "2.4.87-1"));
  EXPECT_EQ(title_of(stack_on(sample.host, "")), "topsrider-t2x 2.4.87");
  EXPECT_EQ(title_of(stack_on(sample.host, "topsrider-t2x")), "topsrider-t2x 2.4.87");
  EXPECT_EQ(title_of(stack_on(sample.host, "topsrider-t2x@2.5.136")), "topsrider-t2x 2.5.136");
  EXPECT_EQ(title_of(stack_on(sample.host, "topsrider-i3x")), "topsrider-i3x");
}

}  // namespace
}  // namespace topsctl

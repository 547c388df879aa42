// Which stack a host has.
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

#include <gtest/gtest.h>

#include "support/sample_host.hpp"

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
       {status_of(debs, "3.5.1-1"), status_of({"tops-eccl"}, "2.5.136-1"), std::string(),
        status_of(debs, "2.5.136-1", "deinstall ok config-files")}) {
    sample.folder.write("var/lib/dpkg/status", status);
    EXPECT_FALSE(installed_stack(sample.host)) << status;
  }
}

TEST(InstalledStacks, NeedNoDpkg) {
  SampleHost sample;
  EXPECT_FALSE(installed_stack(sample.host));
}

TEST(InstalledStacks, OfLaterGenerationsAreToldByTheirVersions) {
  Stack later = known_stacks().front();
  later.environment.generation = "s60";
  for (Component& component : later.components) component.version = "3.5.1";
  const std::vector<Stack> stacks = {known_stacks().front(), later};
  const Stack* found = stack_among(stacks, parse_packages(status_of(debs, "3.5.1-1")));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->environment.generation, "s60");
}

}  // namespace
}  // namespace topsctl

// The states of dpkg's packages, and what follows from each.
#include "topsctl/base/dpkg_status.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/dpkg_statuses.hpp"

namespace topsctl {
namespace {

const std::vector<std::string> all_states = {
    "not-installed",   "config-files",     "half-installed",   "unpacked",
    "half-configured", "triggers-awaited", "triggers-pending", "installed"};

TEST(DpkgStatuses, ComeBackFromTheirText) {
  for (const char* want : {"unknown", "install", "hold", "deinstall", "purge"}) {
    for (const char* flag : {"ok", "reinstreq"}) {
      for (const std::string& state : all_states) {
        const std::string text = std::string(want) + " " + flag + " " + state;
        EXPECT_EQ(to_text(dpkg_status(text)), text);
      }
    }
  }
  EXPECT_EQ(to_text(DpkgStatus()), "unknown ok not-installed");
}

TEST(DpkgStatuses, AreReadAsDpkgReadsThem) {
  EXPECT_EQ(parse_dpkg_status(" INSTALL ok  Installed"), dpkg_status("install ok installed"));
  for (const char* text : {"", "install ok", "install ok installed now", "install ok foo",
                           "install fine installed", "want ok installed", "installed"}) {
    EXPECT_FALSE(parse_dpkg_status(text).has_value()) << text;
  }
}

TEST(DpkgStatuses, AreInstalledWithAllWorkDoneAndNoRemovalChosen) {
  EXPECT_TRUE(is_installed(dpkg_status("install ok installed")));
  EXPECT_TRUE(is_installed(dpkg_status("hold ok installed")));
  for (const char* text :
       {"install reinstreq installed", "deinstall ok installed", "purge ok installed",
        "unknown ok installed", "install ok triggers-pending", "install ok triggers-awaited",
        "install ok half-configured", "install ok unpacked", "install reinstreq half-installed",
        "deinstall ok config-files", "purge ok not-installed"}) {
    EXPECT_FALSE(is_installed(dpkg_status(text))) << text;
  }
}

TEST(DpkgStatuses, AreJudgedByTheStateForFilesDependenciesAndWorkThatIsLeft) {
  const std::vector<std::string> files = {"no", "no", "no", "yes", "yes", "yes", "yes", "yes"};
  const std::vector<std::string> dependency = {"no", "no", "no", "no", "no", "yes", "yes", "yes"};
  const std::vector<std::string> unfinished = {"no", "no", "yes", "yes", "yes", "yes", "yes", "no"};
  const auto told = [](bool value) { return std::string(value ? "yes" : "no"); };
  for (std::size_t i = 0; i < all_states.size(); ++i) {
    const DpkgStatus status = dpkg_status("install ok " + all_states[i]);
    EXPECT_EQ(told(has_files(status)), files[i]) << all_states[i];
    EXPECT_EQ(told(satisfies_dependencies(status)), dependency[i]) << all_states[i];
    EXPECT_EQ(told(is_unfinished(status)), unfinished[i]) << all_states[i];
  }
  EXPECT_TRUE(is_unfinished(dpkg_status("install reinstreq installed")));
}

}  // namespace
}  // namespace topsctl

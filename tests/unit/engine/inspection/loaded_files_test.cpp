// What of a deb becomes instructions of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/engine/inspection/package_findings.hpp"

namespace topsctl {
namespace {

Package deb_of(const std::vector<std::string>& paths, unsigned mode) {
  Package deb;
  deb.kind = PackageKind::deb;
  deb.deb.emplace();
  deb.files.emplace();
  for (const std::string& path : paths) {
    PayloadEntry entry;
    entry.path = path;
    entry.mode = mode;
    entry.owner = "root/root";
    deb.files->push_back(entry);
  }
  return deb;
}

const std::vector<std::string> instructions = {"/etc/ld.so.conf.d/tops.conf",
                                               "/etc/profile.d/tops.sh",
                                               "/etc/sudoers.d/tops",
                                               "/etc/init.d/tops",
                                               "/etc/cron.d/tops",
                                               "/etc/cron.daily/tops",
                                               "/etc/default/tops",
                                               "/etc/logrotate.d/tops",
                                               "/etc/systemd/system/tops.service",
                                               "/lib/systemd/system/tops.timer",
                                               "/usr/lib/systemd/system/tops.service",
                                               "/usr/lib/udev/rules.d/9.rules",
                                               "/etc/tmpfiles.d/tops.conf",
                                               "/usr/share/dbus-1/system-services/tops.service",
                                               "/etc/modprobe.d/tops.conf",
                                               "/lib/modules/5.4.0/tops.ko",
                                               "/usr/lib/sysctl.d/9.conf",
                                               "/usr/src/tops-1/Makefile",
                                               "/etc/apt/apt.conf.d/9tops",
                                               "/etc/topsctl/stacks.d/x.json",
                                               "/usr/lib/python3/dist-packages/tops/__init__.py",
                                               "/usr/lib/python3.8/sitecustomize.py",
                                               "/opt/x/lib/python3.8/site-packages/x.pth",
                                               "/usr/lib/python39.zip",
                                               "/usr/local/lib/systemd/system/x.service",
                                               "/opt/x/scripts/job.sh"};

TEST(LoadedFiles, AreAlsoWhatRootsProgramsObey) {
  const std::set<std::string> all(instructions.begin(), instructions.end());
  EXPECT_EQ(loaded_files(deb_of(instructions, 0644), nullptr), all);
  EXPECT_EQ(
      loaded_files(deb_of({"/opt/tops/share/readme", "/srv/tops/data", "/var/lib/tops/x"}, 0644),
                   nullptr),
      std::set<std::string>());
}

TEST(LoadedFiles, AreDirectoriesAndLinksWhereProgramsAreLookedUp) {
  Package deb = deb_of({"/opt/tops/bin", "/opt/tops/share", "/opt/tops/lib64", "/etc/x.d"}, 0755);
  for (PayloadEntry& entry : *deb.files) entry.type = PayloadEntry::Type::directory;
  EXPECT_THAT(loaded_files(deb, nullptr),
              testing::ElementsAre("/etc/x.d", "/opt/tops/bin", "/opt/tops/lib64"));
  deb = deb_of({"/opt/tops/lib", "/opt/tops/lib/x", "/opt/tops/share/x", "/usr/share/x/cache",
                "/usr/bin/tops"},
               0777);
  for (PayloadEntry& entry : *deb.files) entry.type = PayloadEntry::Type::symlink;
  EXPECT_THAT(loaded_files(deb, nullptr),
              testing::ElementsAre("/opt/tops/lib", "/opt/tops/lib/x", "/usr/bin/tops"));
  for (PayloadEntry& entry : *deb.files) entry.link_target = "/tmp/x";
  const std::vector<Finding> findings = package_findings(deb, nullptr);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "library-open-to-others");
  EXPECT_EQ(findings[0].evidence.size(), 3U);
}

TEST(LoadedFiles, ThatOthersCanChangeAreAnErrorEach) {
  for (const std::string& path : instructions) {
    for (const bool is_owned : {false, true}) {
      Package deb = deb_of({path}, is_owned ? 0644 : 0666);
      if (is_owned) deb.files->front().owner = "builder/builder";
      std::set<std::string> ids;
      for (const Finding& finding : package_findings(deb, nullptr)) ids.insert(finding.id);
      EXPECT_THAT(ids, testing::Contains("library-open-to-others")) << path;
    }
  }
}

}  // namespace
}  // namespace topsctl

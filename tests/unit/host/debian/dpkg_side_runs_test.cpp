// What has dpkg run programs of others.
#include "topsctl/host/debian/dpkg_side_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DpkgOverrides, AreProgramsAndWhatIsForced) {
  SampleHost sample;
  EXPECT_FALSE(has_dpkg_overrides(sample.host));
  sample.folder.write("etc/dpkg/dpkg.cfg",
                      "no-debsig\nlog /var/log/dpkg.log\n# pre-invoke=x\nforce-unsafe-io\n");
  EXPECT_FALSE(has_dpkg_overrides(sample.host));
  for (const char* line : {"pre-invoke=/bin/x", "post-invoke /bin/x", "status-logger=x",
                           "force-overwrite", "force-all", "force-unsafe-io,overwrite"}) {
    SampleHost other;
    other.folder.write("etc/dpkg/dpkg.cfg.d/own", std::string("no-debsig\n  ") + line + "\n");
    EXPECT_TRUE(has_dpkg_overrides(other.host)) << line;
  }
}

TEST(TriggerPaths, AreThoseOfTheFileOfTriggers) {
  SampleHost sample;
  EXPECT_THAT(trigger_paths(sample.host), IsEmpty());
  sample.folder.write("var/lib/dpkg/triggers/File",
                      "/usr/share/man man-db/noawait\n/usr/lib/a b systemd\n\n");
  EXPECT_THAT(trigger_paths(sample.host), ElementsAre("/usr/share/man", "/usr/lib/a b"));
}

}  // namespace
}  // namespace topsctl

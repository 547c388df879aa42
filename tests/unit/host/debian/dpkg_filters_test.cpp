// What dpkg's configuration leaves out.
#include "topsctl/host/debian/dpkg_filters.hpp"

#include <gtest/gtest.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

TEST(DpkgFilters, LeaveOutWhatTheLastPatternSays) {
  DpkgFilters filters;
  filters.take(
      "# for containers\npath-exclude=/usr/share/doc/*\npath-include=/usr/share/doc/*/copyright\n"
      "path-exclude /usr/share/man/*\npath-excluded=/usr/lib/*\n");
  EXPECT_TRUE(filters.leaves_out("/usr/share/doc/tops-eccl/changelog.gz"));
  EXPECT_FALSE(filters.leaves_out("/usr/share/doc/tops-eccl/copyright"));
  EXPECT_TRUE(filters.leaves_out("/usr/share/man/man1/x.1.gz"));
  EXPECT_FALSE(filters.leaves_out("/usr/lib/libeccl.so"));
}

TEST(DpkgFilters, AreReadWhereDpkgReadsThem) {
  SampleHost sample;
  EXPECT_FALSE(read_dpkg_filters(sample.host).leaves_out("/usr/share/doc/x"));
  sample.folder.write("etc/dpkg/dpkg.cfg.d/excludes", "path-exclude=/usr/share/doc/*\n");
  sample.folder.write("etc/dpkg/dpkg.cfg.d/old.dpkg-dist", "path-exclude=/usr/lib/*\n");
  sample.folder.write("etc/dpkg/dpkg.cfg", "path-include=/usr/share/doc/kept\n");
  const DpkgFilters filters = read_dpkg_filters(sample.host);
  EXPECT_TRUE(filters.leaves_out("/usr/share/doc/x"));
  EXPECT_FALSE(filters.leaves_out("/usr/share/doc/kept"));
  EXPECT_FALSE(filters.leaves_out("/usr/lib/x"));
}

}  // namespace
}  // namespace topsctl

// The links of update-alternatives(1).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "topsctl/host/debian/alternatives.hpp"

namespace topsctl {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(AlternativeLinks, AreThoseOfGroupsAndTheirSlaves) {
  SampleHost sample;
  EXPECT_THAT(alternative_links(sample.host), IsEmpty());
  sample.folder.write("var/lib/dpkg/alternatives/editor",
                      "auto\n/usr/bin/editor\neditor.1.gz\n/usr/share/man/man1/editor.1.gz\n"
                      "editor.fr.1.gz\n/usr/share/man/fr/man1/editor.1.gz\n\n"
                      "/bin/nano\n40\n/usr/share/man/man1/nano.1.gz\n\n");
  sample.folder.write("var/lib/dpkg/alternatives/awk",
                      "manual\n/usr/bin/awk\n\n/usr/bin/mawk\n5\n");
  sample.folder.write("var/lib/dpkg/alternatives/damaged", "auto");
  EXPECT_THAT(alternative_links(sample.host),
              UnorderedElementsAre("/usr/bin/editor", "/usr/share/man/man1/editor.1.gz",
                                   "/usr/share/man/fr/man1/editor.1.gz", "/usr/bin/awk"));
}

}  // namespace
}  // namespace topsctl

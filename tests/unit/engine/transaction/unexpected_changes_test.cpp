// What was changed during a transaction and is not in its write set.
#include "topsctl/engine/transaction/unexpected_changes.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/sample_host.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Escapes : public testing::Test {
 protected:
  Escapes() {
    sample_.folder.write("etc/kept", "1");
    sample_.folder.write("srv/other/x", "1");
    WriteSetSummary summary;
    snapshot_ =
        take_snapshot(sample_.host, {{"/etc/kept"}, {{"/etc", "family-"}}}, store_.path(), summary);
  }
  UnexpectedChanges found() const {
    return unexpected_changes(sample_.host, snapshot_, new_paths(sample_.host, snapshot_), 0);
  }

  SampleHost sample_;
  TemporaryFolder store_;
  Snapshot snapshot_;
};

TEST_F(Escapes, AreWhatTheSnapshotDoesNotKnow) {
  sample_.folder.write("etc/family-1", "new");
  sample_.folder.write("var/log/x", "log");
  sample_.folder.write("var/lib/topsctl/x", "ours");
  sample_.folder.write("var/lib/dpkg/lock", "");
  const UnexpectedChanges escaped = found();
  EXPECT_THAT(escaped.paths,
              AllOf(Contains("/srv/other/x"), Not(Contains("/etc/kept")),
                    Not(Contains("/etc/family-1")), Not(Contains("/var/log/x")),
                    Not(Contains("/var/lib/topsctl/x")), Not(Contains("/var/lib/dpkg/lock"))));
  EXPECT_EQ(escaped.count, escaped.paths.size());
}

// Nobody looks into folders that are new as a whole, and everywhere else.
TEST_F(Escapes, AreFoundBesideWhatTheSnapshotKnows) {
  const TemporaryFolder store;
  WriteSetSummary summary;
  snapshot_ =
      take_snapshot(sample_.host, {{"/etc/kept", "/opt/tops/lib/x"}, {}}, store.path(), summary);
  sample_.folder.write("etc/stranger", "1");
  sample_.folder.write("opt/stranger/file", "1");
  sample_.folder.write("opt/tops/lib/x", "1");
  sample_.folder.write("opt/tops/made-by-a-script/file", "1");
  const UnexpectedChanges escaped = found();
  EXPECT_THAT(escaped.paths, AllOf(Contains("/etc/stranger"), Each(Not(StartsWith("/opt/tops")))));
  EXPECT_THAT(new_paths(sample_.host, snapshot_),
              AllOf(Contains("/opt/stranger/file"), Contains("/opt/tops/made-by-a-script/file")));
}

TEST_F(Escapes, AreNotWhatIsExpectedHoweverMuchThatIs) {
  for (std::size_t i = 0; i <= most_escaped; ++i) sample_.folder.write(concat("srv/alias/", i), "");
  const UnexpectedChanges escaped =
      unexpected_changes(sample_.host, snapshot_, {}, 0, {},
                         [](const std::string& path) { return path.starts_with("/srv/alias"); });
  EXPECT_THAT(escaped.paths, Contains("/srv/other/x"));
  EXPECT_THAT(escaped.paths, Each(Not(StartsWith("/srv/alias/"))));
  EXPECT_EQ(escaped.count, escaped.paths.size());
}

TEST_F(Escapes, AreNotWhatWeSayOurselves) {
  sample_.folder.write("srv/other/said", "");
  const Descriptor before(::dup(STDERR_FILENO));
  {
    const Descriptor said(
        ::open((sample_.folder.path() / "srv/other/said").c_str(), O_WRONLY | O_CLOEXEC));
    ::dup2(said.get(), STDERR_FILENO);
  }
  const UnexpectedChanges escaped = found();
  ::dup2(before.get(), STDERR_FILENO);
  EXPECT_THAT(escaped.paths, AllOf(Contains("/srv/other/x"), Not(Contains("/srv/other/said"))));
}

TEST(WarningOfEscapes, NamesTheFirstOfThem) {
  EXPECT_THAT(warning_of({}), IsEmpty());
  EXPECT_THAT(warning_of({{"/a", "/b", "/c", "/d"}, 4, true}),
              AllOf(HasSubstr("4 paths"), HasSubstr("/a, /b, /c, ...")));
  EXPECT_THAT(warning_of({{"/a"}, 1, true}), AllOf(HasSubstr("1 path "), HasSubstr(": /a")));
  EXPECT_THAT(warning_of({{}, 0, false}), HasSubstr("too many files"));
}

}  // namespace
}  // namespace topsctl

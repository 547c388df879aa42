// Snapshots as JSON: nothing is lost, and a person can read them.
#include "topsctl/model/target_snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/sample_snapshot.hpp"
#include "support/thrown.hpp"
#include "topsctl/model/target_snapshot_parser.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TargetSnapshots, ComeBackFromTheirTextAsTheyWere) {
  const TargetSnapshot snapshot = sample_snapshot();
  EXPECT_TRUE(parse_target_snapshot(to_text(snapshot), "s") == snapshot);
  EXPECT_TRUE(parse_target_snapshot(to_json(snapshot).dump(), "s") == snapshot);
}

TEST(TargetSnapshots, WithoutAnythingComeBackToo) {
  TargetSnapshot snapshot;
  snapshot.taken_at = "2026-11-20T10:15:00Z";
  EXPECT_TRUE(parse_target_snapshot(to_text(snapshot), "s") == snapshot);
}

TEST(TargetSnapshots, SayWhereTheInterpretersWereNotAsked) {
  TargetSnapshot snapshot;
  EXPECT_THAT(to_text(snapshot), Not(HasSubstr("pythons_known")));
  snapshot.taken_at = "2026-11-20T10:15:00Z";
  snapshot.are_pythons_known = false;
  EXPECT_TRUE(parse_target_snapshot(to_text(snapshot), "s") == snapshot);
}

TEST(TargetSnapshots, GroupOwnedPathsByFolderAndPackage) {
  const Json owners = to_json(sample_snapshot())["owners"];
  EXPECT_EQ(owners[0].dump(), R"(["/","linux","initrd"])");
  EXPECT_EQ(owners[1].dump(), R"(["/bin","bash","bash"])");
  EXPECT_EQ(owners[3].dump(), R"(["/usr/share/doc","b","shared"])");
}

TEST(TargetSnapshots, WriteBytesThatAreNoUtf8InHexadecimalDigits) {
  EXPECT_THAT(to_text(sample_snapshot()), HasSubstr(R"("a\u0000ff\u0000c3\u0000a9")"));
}

TEST(TargetSnapshots, HaveOneItemInALine) {
  const std::string text = to_text(sample_snapshot());
  EXPECT_THAT(text, HasSubstr("\"glibc\": \"2.31\",\n"));
  EXPECT_THAT(text, HasSubstr("\n  [\"/bin\",\"bash\",\"bash\"],\n"));
  EXPECT_THAT(text, HasSubstr("\n  {\"path\":\"/\",\"type\":\"ext4\""));
}

TEST(TargetSnapshots, LeaveOutWhatIsNotKnown) {
  TargetSnapshot snapshot = sample_snapshot();
  snapshot.kernel.clear();
  EXPECT_THAT(to_text(snapshot), Not(HasSubstr("kernel")));
}

TEST(TargetSnapshots, RefuseAStatusThatDpkgDoesNotKnow) {
  std::string text = to_text(sample_snapshot());
  text.replace(text.find("install ok installed"), 20, "install ok instilled");
  const Error error = thrown_by([&] { parse_target_snapshot(text, "s"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(),
              HasSubstr("expected a dpkg status such as \"install ok installed\""));
}

}  // namespace
}  // namespace topsctl

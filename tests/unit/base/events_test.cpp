// Events reach every sink.
#include "topsctl/base/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_sink.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

TEST(EventFans, PassEverythingOnToEachSink) {
  RecordingSink a;
  RecordingSink b;
  EventFan fan;
  fan.add(&a);
  fan.add(&b);
  fan.step_started(1, 9, "dpkg");
  fan.output("Unpacking\n");
  fan.step_finished(1, 9, "dpkg", 1234, true);
  fan.step_finished(2, 9, "pip", 5, false);
  fan.note("n");
  fan.warning("w");
  EXPECT_THAT(a.lines, ElementsAre("start 1/9 dpkg", "output Unpacking\n", "done 1/9 dpkg 1234",
                                   "failed 2/9 pip 5", "note n", "warning w"));
  EXPECT_EQ(b.lines, a.lines);
}

TEST(EventFans, CopiedMayGetSinksOfTheirOwn) {
  RecordingSink a;
  RecordingSink b;
  EventFan fan;
  fan.add(&a);
  EventFan copy = fan;
  copy.add(&b);
  fan.note("1");
  copy.note("2");
  EXPECT_THAT(a.lines, ElementsAre("note 1", "note 2"));
  EXPECT_THAT(b.lines, ElementsAre("note 2"));
}

TEST(EventFans, WithoutSinksAreSilent) {
  EventFan fan;
  fan.note("nobody hears");
}

}  // namespace
}  // namespace topsctl

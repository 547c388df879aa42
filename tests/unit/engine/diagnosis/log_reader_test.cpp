// What the reader of logs does with logs that are made to be too much.
#include "engine/diagnosis/log_reader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace topsctl {
namespace {

DiagnosisCatalogue catalogue_of(const std::map<std::string, std::string>& patterns) {
  DiagnosisCatalogue catalogue;
  for (const auto& [id, pattern] : patterns) {
    Diagnosis each;
    each.finding.id = id;
    each.log = {pattern};
    catalogue.diagnoses.push_back(each);
  }
  return catalogue;
}

TEST(LogReaders, what_resembles_failures_too_often_does_not_hide_one_that_is_rare) {
  const DiagnosisCatalogue two =
      catalogue_of({{"often", "alpha beta.*gamma"}, {"rare", "delta epsilon"}});
  const LogMatcher matcher(two);
  LogMatcher::Effort effort;
  LogTimeline story;
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  reader.take("alpha beta gamma\n");
  EXPECT_FALSE(effort.was_short());
  std::string near;
  for (int i = 0; i < 1000; ++i) near += "alpha beta\n";
  for (int i = 0; i < 300; ++i) reader.take(near);
  reader.take("delta epsilon\n");
  reader.end();
  EXPECT_TRUE(effort.was_short());
  ASSERT_EQ(story.sightings.size(), 2U);
  EXPECT_EQ(story.sightings[0].id, "often");
  EXPECT_EQ(story.sightings[1].id, "rare");
  EXPECT_EQ(story.sightings[1].place.line, 300'002);
}

TEST(LogReaders, a_failure_of_every_rank_does_not_fill_the_memory) {
  const DiagnosisCatalogue two = catalogue_of({{"often", "alpha beta"}, {"rare", "delta epsilon"}});
  const LogMatcher matcher(two);
  LogMatcher::Effort effort = LogMatcher::Effort::unlimited();
  LogTimeline story;
  LogReader reader(matcher, effort, story, "train.log", std::nullopt, 0);
  std::string lines;
  for (int rank = 0; rank < 70'000; ++rank)
    lines += "[rank" + std::to_string(rank) + "]: alpha beta\n";
  reader.take(lines);
  reader.take("delta epsilon\n");
  reader.end();
  EXPECT_EQ(story.sightings.size(), 65'537U);
  EXPECT_EQ(story.sightings.back().id, "rare");
}

}  // namespace
}  // namespace topsctl

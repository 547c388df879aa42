// Which busy cards are those of a training.
#include "engine/launch/busy_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four cards, of which 2 and 3 are busy; process 10 + N is rank N, on card N.
Json report() {
  Json cards = Json::array();
  Json ranks = Json::array();
  for (int i = 0; i < 4; ++i) {
    cards.push_back({{"index", i}, {"is_busy", i > 1}});
    ranks.push_back({{"rank", i % 2}, {"pid", 10 + i}, {"cards", {i}}});
  }
  return {{"cards_busy", 2U}, {"first_cause", "x"}, {"cards", cards}, {"ranks", ranks}};
}

TEST(BusyChecks, CountTheCardsOfThisTrainingAlone) {
  const BusyCheck idle = busy_check_in(report(), {10, 11});
  EXPECT_EQ(idle.cards_busy, 0U);
  EXPECT_THAT(idle.cards.at(1), ElementsAre(1));
  EXPECT_EQ(busy_check_in(report(), {12, 13}).cards_busy, 2U);
  EXPECT_EQ(busy_check_in(report(), {}).cards_busy, 2U) << "nobody says whose they are";
}

TEST(BusyChecks, KnowWhatIsNotKnown) {
  Json half = report();
  half["cards"][1]["is_busy"] = nullptr;
  EXPECT_EQ(busy_check_in(half, {10, 11}).cards_busy, std::nullopt);
  Json none = report();
  none["cards_busy"] = nullptr;
  EXPECT_EQ(busy_check_in(none, {12}).cards_busy, std::nullopt);
  for (const Json& strange : {Json(nullptr), Json(7), Json::array(), Json{{"ranks", {1, "x"}}},
                              Json{{"cards_busy", -1}, {"ranks", {{{"rank", 0}}}}}}) {
    EXPECT_EQ(busy_check_in(strange, {1}).cards_busy, std::nullopt);
    EXPECT_THAT(busy_check_in(strange, {1}).cards, IsEmpty());
  }
}

}  // namespace
}  // namespace topsctl

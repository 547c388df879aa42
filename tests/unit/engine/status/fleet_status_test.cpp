// What hosts have in common, and which deviate.
#include "topsctl/engine/status/fleet_status.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

Json target(const std::string& name, const std::string& kernel, const std::string& status = "ok") {
  return {{"target", name},
          {"status", "done"},
          {"report",
           {{"status", status},
            {"intact", status == "ok"},
            {"kernel", kernel},
            {"driver", nullptr},
            {"torch", "1.10.0"},
            {"python", {{"version", "3.8.10"}}},
            {"installed", {{"stack", "topsrider-t2x"}, {"release", "2.5.136"}, {"sha256", "ab"}}}}},
          {"error", nullptr}};
}

std::vector<std::string> names(const FleetStatus& fleet) {
  std::vector<std::string> names;
  for (const FleetHost& host : fleet.hosts) names.push_back(host.target);
  return names;
}

TEST(FleetStatus, OfHostsThatAreAlikeHasNoDeviation) {
  const FleetStatus fleet = fleet_status(Json::array({target("a", "5.4"), target("b", "5.4")}));
  EXPECT_EQ(fleet.deviating(), 0U);
  EXPECT_EQ(fleet.usual[0], "topsrider-t2x 2.5.136");
  EXPECT_EQ(names(fleet), (std::vector<std::string>{"a", "b"}));
}

TEST(FleetStatus, PutsThoseThatDeviateFirst) {
  Json lost = {{"target", "lost"},
               {"status", "failed"},
               {"report", nullptr},
               {"error", {{"message", "no connection"}}}};
  const FleetStatus fleet =
      fleet_status(Json::array({target("a", "5.4"), target("old", "4.15"), target("b", "5.4"),
                                target("broken", "5.4", "problems"), std::move(lost)}));
  EXPECT_EQ(names(fleet), (std::vector<std::string>{"lost", "broken", "old", "a", "b"}));
  EXPECT_EQ(fleet.deviating(), 3U);
  EXPECT_EQ(fleet.hosts[0].error, "no connection");
  EXPECT_EQ(fleet.hosts[2].verdict, FleetVerdict::differs);
  EXPECT_EQ(fleet.hosts[2].deviations, std::vector<std::size_t>{2});
  EXPECT_EQ(fleet.usual[2], "5.4");
  const Json json = to_json(fleet);
  EXPECT_EQ(json["hosts"][2]["deviations"], Json::array({"kernel"}));
  EXPECT_EQ(json["properties"][2]["differs"], true);
  EXPECT_EQ(json["properties"][4]["differs"], false);
}

TEST(FleetStatus, OfHalvesGoesByTheFirstHost) {
  const FleetStatus fleet = fleet_status(Json::array({target("a", "5.4"), target("b", "4.15")}));
  EXPECT_EQ(names(fleet), (std::vector<std::string>{"b", "a"}));
}

TEST(FleetStatus, CallsNoHostSoundThatDoesNotSaySo) {
  for (const Json& claim : {Json(nullptr), Json("true"), Json(1), Json(false)}) {
    Json liar = target("a", "5.4");
    liar["report"]["intact"] = claim;
    EXPECT_EQ(fleet_status(Json::array({liar})).hosts[0].verdict, FleetVerdict::problems) << claim;
  }
  Json empty = target("a", "5.4");
  empty["report"]["installed"] = nullptr;
  empty["report"]["intact"] = nullptr;
  EXPECT_EQ(fleet_status(Json::array({empty})).hosts[0].verdict, FleetVerdict::same);
}

TEST(FleetStatus, LeavesOutWhatAHostSaysInAnotherForm) {
  Json odd = target("odd", "5.4");
  odd["report"]["installed"] = 7;
  odd["report"]["kernel"] = Json::array();
  EXPECT_EQ(fleet_status(Json::array({odd})).hosts[0].values[2], "");
}

}  // namespace
}  // namespace topsctl

// Cards and the ranks on them.
#include "topsctl/engine/launch/card_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Not;

MachineState two_cards() {
  MachineState state;
  state.cards.emplace();
  state.cards->cards.resize(2);
  for (std::int64_t card = 0; card < 2; ++card) {
    CardReading& reading = state.cards->cards.at(static_cast<std::size_t>(card));
    reading.index = card;
    reading.bus_id = "00:3" + std::to_string(card) + ":0.0";
    reading.utilization_percent = 0.0;
  }
  for (const int rank : {1, 0}) {
    JobProcess process;
    process.pid = 100 + rank;
    process.rank = rank;
    process.state = "S";
    process.cards = {rank};
    process.cpu_ms = 1000;
    state.processes.push_back(process);
    process.cpu_ms += rank == 1 ? 900 : 3;
    state.processes_later.push_back(process);
  }
  return state;
}

TEST(CardWatches, PutARankToEachCard) {
  const CardWatch watch = card_watch(two_cards());
  ASSERT_EQ(watch.cards.size(), 2U);
  EXPECT_EQ(watch.cards[0].rank, 0);
  EXPECT_EQ(watch.cards[1].pid, 101);
  ASSERT_EQ(watch.ranks.size(), 2U);
  EXPECT_EQ(watch.ranks[0].rank, 0);
  EXPECT_FALSE(watch.ranks[0].is_working);
  EXPECT_TRUE(watch.ranks[1].is_working);
}

TEST(CardWatches, AlarmWhereRanksRunAndNoCardIsBusy) {
  MachineState state = two_cards();
  EXPECT_TRUE(card_watch(state).are_cards_idle);
  state.cards->cards[1].utilization_percent = 85.0;
  EXPECT_FALSE(card_watch(state).are_cards_idle);
  EXPECT_EQ(card_watch(state).busy, 1U);
  state = two_cards();
  state.processes.clear();
  EXPECT_FALSE(card_watch(state).are_cards_idle) << "nobody wants them";
}

TEST(CardWatches, GuessNothingWithoutEfsmi) {
  MachineState state = two_cards();
  state.cards.reset();
  const CardWatch watch = card_watch(state);
  EXPECT_FALSE(watch.is_known);
  EXPECT_FALSE(watch.busy.has_value());
  EXPECT_FALSE(watch.are_cards_idle);
  EXPECT_EQ(prometheus_text(watch, "enflame_gcu", "h"), "");
  EXPECT_EQ(to_json(watch, {})["source"], "unknown");
}

TEST(CardWatches, TellTheRatesOfTheNetwork) {
  CardWatch watch;
  watch.network = {{"eth0", false, 2048.5, 0.0}, {"mlx5_0:1", true, std::nullopt, 7.0}};
  EXPECT_EQ(to_json(watch, {})["network"], Json::parse(R"([{"name": "eth0", "kind": "interface",
                             "received_bytes_per_second": 2048.5, "sent_bytes_per_second": 0.0},
                            {"name": "mlx5_0:1", "kind": "infiniband",
                             "received_bytes_per_second": null, "sent_bytes_per_second": 7.0}])"));
  const std::string text = prometheus_text(watch, "enflame_gcu", "h");
  EXPECT_THAT(text, HasSubstr("# TYPE topsctl_network_received_bytes_per_second gauge\n"
                              "topsctl_network_received_bytes_per_second{interface=\"eth0\","
                              "host=\"h\"} 2048.5\n# HELP topsctl_network_sent_"));
  EXPECT_THAT(text, HasSubstr("sent_bytes_per_second{interface=\"mlx5_0:1\",host=\"h\"} 7.0\n"));
}

TEST(CardWatches, WriteMetricsWithOneHeadEach) {
  const std::string text = prometheus_text(card_watch(two_cards()), "enflame_gcu", "a\"b");
  EXPECT_THAT(text, HasSubstr("# TYPE enflame_gcu_usage gauge\n"
                              "enflame_gcu_usage{index=\"0\",busid=\"00:30:0.0\",uuid=\"\","
                              "host=\"a\\\"b\"} 0.0\n"));
  EXPECT_THAT(text, Not(HasSubstr("temperatures"))) << "nothing is known of them";
  EXPECT_THAT(text, HasSubstr("topsctl_cards_idle{host=\"a\\\"b\"} 1\n"));
}

TEST(CardWatches, TellThePaceAndTheBandwidth) {
  CardWatch watch;
  watch.ranks.resize(2);
  watch.ranks[0].iterations_per_second = 4.0;
  watch.ranks[1].iterations_per_second = 2.5;
  add_throughput(watch, 512);
  watch.host.cpu_percent = 20;
  watch.ports.resize(2);
  for (FlowPort& port : watch.ports) port.values.take(150, false);
  const std::string text = prometheus_text(watch, "enflame_gcu", "h");
  for (const char* line :
       {"host_cpu_percent{host=\"h\"} 20.0\n", "telemetry_bandwidth_gbps{host=\"h\"} 300.0\n",
        "training_iterations_per_second{host=\"h\"} 2.5\n",
        "training_samples_per_second{host=\"h\"} 1280.0\n",
        "training_global_batch{host=\"h\"} 512.0\n"})
    EXPECT_THAT(text, testing::HasSubstr(line));
  const Json json = to_json(watch, {});
  EXPECT_EQ(json["bandwidth_gbps"], 300.0);
  EXPECT_EQ(json["throughput"]["samples_per_second"], 1280.0);
}

}  // namespace
}  // namespace topsctl

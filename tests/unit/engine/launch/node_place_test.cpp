// Places of hosts as JSON, and names that only their owner knows.
#include "topsctl/engine/launch/node_place.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

NodePlace place() {
  NodePlace two;
  two.node = 1;
  two.hosts = {{"n0", "10.0.0.1"}, {"n1.example", "fd00::2"}};
  two.master = "10.0.0.9";
  two.rendezvous = "20261125T000000Z-7";
  return two;
}

NodePlace read_place(const Json& json) {
  return node_place_in(JsonReader(json, "the place"));
}

TEST(NodePlaces, ComeBackAsTheyWere) {
  EXPECT_EQ(read_place(to_json(place())), place());
}

TEST(NodePlaces, AreTheWorkersOfTensorFlow) {
  std::map<std::string, std::string> rank = {{"LOCAL_RANK", "1"},
                                             {"LOCAL_WORLD_SIZE", "2"},
                                             {"WORLD_SIZE", "2"},
                                             {"MASTER_PORT", "29500"},
                                             {"MASTER_ADDR", "127.0.0.1"}};
  EXPECT_EQ(tensorflow_config(rank, "n0"),
            R"({"cluster":{"worker":["127.0.0.1:29501","127.0.0.1:29502"]},)"
            R"("task":{"type":"worker","index":1}})");
  rank["WORLD_SIZE"] = "4";
  EXPECT_EQ(tensorflow_config(rank, "n0"), "") << "the other host is not known";
  rank[addresses_variable] = addresses_text(place());
  const Json two = Json::parse(tensorflow_config(rank, "n1"));
  EXPECT_EQ(two["cluster"]["worker"],
            Json({"10.0.0.1:29501", "10.0.0.1:29502", "[fd00::2]:29501", "[fd00::2]:29502"}));
  EXPECT_EQ(two["task"]["index"], 3);
  rank["MASTER_PORT"] = "65534";
  EXPECT_EQ(Json::parse(tensorflow_config(rank, "n0"))["cluster"]["worker"][0], "10.0.0.1:65533");
}

TEST(NodePlaces, ThatCannotBeAreRefused) {
  const auto refuses = [](const char* pointer, const Json& value) {
    Json json = to_json(place());
    json[Json::json_pointer(pointer)] = value;
    return thrown_by([&] { read_place(json); }).code() == ErrorCode::bad_stack;
  };
  EXPECT_TRUE(refuses("/node", 2));
  EXPECT_TRUE(refuses("/node", -1));
  EXPECT_TRUE(refuses("/hosts", Json::array()));
  EXPECT_TRUE(refuses("/hosts/0/address", "10.0.0.1 --rdzv_id=x"));
  EXPECT_TRUE(refuses("/hosts/0/name", "n0=10.0.0.9"));
  EXPECT_TRUE(refuses("/hosts/0/name", "-n0"));
  EXPECT_TRUE(refuses("/hosts/0/address", "fe80::1%eth0"));
  EXPECT_TRUE(refuses("/master", ""));
  EXPECT_TRUE(refuses("/rendezvous", "a,b"));
  EXPECT_TRUE(refuses("/more", 1));
}

TEST(Addresses, AreFoundByTheNameThatAHostHasForItself) {
  const std::string addresses = addresses_text(place());
  EXPECT_EQ(addresses, "n0=10.0.0.1 n1.example=fd00::2");
  EXPECT_EQ(address_in(addresses, "n0"), "10.0.0.1");
  EXPECT_EQ(address_in(addresses, "n0.cluster.local"), "10.0.0.1");
  EXPECT_EQ(address_in(addresses, "n1"), "fd00::2");
}

TEST(Addresses, OfNamesThatNobodyOrSeveralHaveStay) {
  EXPECT_EQ(address_in("n0=10.0.0.1", "n7"), "n7");
  EXPECT_EQ(address_in("n0.a=10.0.0.1 n0.b=10.0.0.2", "n0"), "n0");
  EXPECT_EQ(address_in("n0.a=10.0.0.1 n0.b=10.0.0.2", "n0.b"), "10.0.0.2");
  EXPECT_EQ(address_in("", "10.0.0.1"), "10.0.0.1");
}

TEST(HostWords, AreNoLongerThanANameCanBe) {
  EXPECT_TRUE(is_host_word(std::string(253, 'a')));
  EXPECT_FALSE(is_host_word(std::string(254, 'a')));
}

}  // namespace
}  // namespace topsctl

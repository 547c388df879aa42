// The order of an agent's keys.
#include "host/network/agent_filter.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

std::string field(const std::string& text) {
  return std::string("\0\0\0", 3) + static_cast<char>(text.size()) + text;
}

std::string answer(const std::vector<std::string>& keys) {
  std::string text = "\x0c" + std::string("\0\0\0", 3) + static_cast<char>(keys.size());
  for (const std::string& key : keys) text += field(key) + field("of " + key);
  return text;
}

TEST(AgentsKeys, ComeInTheOrderOfTheFiles) {
  EXPECT_EQ(arranged_identities(answer({"a", "b", "c"}), {"c", "x", "b"}, OtherKeys::after),
            answer({"c", "b", "a"}));
}

TEST(AgentsKeys, AreLeftOutWithIdentitiesOnly) {
  EXPECT_EQ(arranged_identities(answer({"a", "b", "c"}), {"b"}, OtherKeys::none), answer({"b"}));
  EXPECT_EQ(arranged_identities(answer({"a"}), {}, OtherKeys::none), answer({}));
}

TEST(AgentsKeys, OfADamagedListStayAsTheyAre) {
  const std::string whole = answer({"a", "b"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_EQ(arranged_identities(cut, {"b"}, OtherKeys::none), cut) << size;
  }
}

TEST(AgentFilters, AreClosedWithoutAnAgent) {
  EXPECT_FALSE(AgentFilter("", {}, OtherKeys::after).is_open());
  EXPECT_FALSE(AgentFilter("/nowhere/agent", {}, OtherKeys::after).is_open());
}

}  // namespace
}  // namespace topsctl

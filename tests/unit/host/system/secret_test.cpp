// What is left in memory of a secret: nothing.
#include "topsctl/host/system/secret.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support/memory_search.hpp"

namespace topsctl {
namespace {

TEST(Secrets, LeaveNothingInMemory) {
  ASSERT_EQ(SoughtText::copies(), 0U);
  Secret secret = SoughtText::as_secret();
  EXPECT_GE(SoughtText::copies(), 1U);
  Secret typed;
  for (std::size_t i = 0; i < SoughtText::length; ++i) typed.add(SoughtText::letter(i));
  EXPECT_TRUE(typed == secret);
  EXPECT_EQ(typed.view().size(), SoughtText::length);
  secret = Secret("another");
  Secret moved = std::move(typed);
  EXPECT_GE(SoughtText::copies(), 1U);
  moved = Secret();
  EXPECT_EQ(SoughtText::copies(), 0U);
}

TEST(Secrets, MayBeEmpty) {
  EXPECT_TRUE(Secret().is_empty());
  EXPECT_TRUE(Secret("").is_empty());
  EXPECT_STREQ(Secret().c_str(), "");
  EXPECT_FALSE(Secret("x").is_empty());
}

}  // namespace
}  // namespace topsctl

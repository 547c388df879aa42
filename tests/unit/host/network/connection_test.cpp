// Connections as the kernel and SSH tell of them.
#include "topsctl/host/network/connection.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace topsctl {
namespace {

TEST(Connections, AreToldApartBySshFirst) {
  const Connection here = {"192.0.2.1 50001 192.0.2.2 22", "7", "100 5"};
  EXPECT_TRUE(is_same_connection(here, {here.ssh, "8", "200 6"}));
  EXPECT_FALSE(is_same_connection(here, {"192.0.2.1 50002 192.0.2.2 22", "7", "100 5"}));
  EXPECT_FALSE(is_same_connection(here, {"", "7", "100 5"})) << "the machine's own console";
}

TEST(Connections, WithoutSshAreToldApartByTheLogIn) {
  EXPECT_TRUE(is_same_connection({"", "7", "100 5"}, {"", "7", "200 6"})) << "sudo, in between";
  EXPECT_FALSE(is_same_connection({"", "7", "100 5"}, {"", "8", "100 5"}));
}

TEST(Connections, WithNeitherAreToldApartByTheSession) {
  EXPECT_TRUE(is_same_connection({"", "", "100 5"}, {"", "7", "100 5"}));
  EXPECT_FALSE(is_same_connection({"", "", "100 5"}, {"", "", "100 6"})) << "the number came again";
}

TEST(Connections, OfThisProcessHaveItsEnvironmentAndItsSession) {
  const Connection mine = this_connection({{"SSH_CONNECTION", "a b c d"}});
  EXPECT_EQ(mine.ssh, "a b c d");
  EXPECT_TRUE(mine.session.starts_with(std::to_string(::getsid(0)) + " "));
  EXPECT_NE(mine.login, "4294967295");
  EXPECT_EQ(this_connection({{"SSH_CONNECTION", "a b c d"}}), mine);
}

}  // namespace
}  // namespace topsctl

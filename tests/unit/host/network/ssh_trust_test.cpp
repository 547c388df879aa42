// Keys that a known_hosts file revokes; libssh passes these lines over.
#include "host/network/ssh_trust.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

constexpr const char* key = "AAAAC3NzaC1lZDI1NTE5AAAAIDIRNioGQ80o2OvE51IpGaklNhzdH1a8zSR5FuULE3nr";
constexpr const char* other_key =
    "AAAAC3NzaC1lZDI1NTE5AAAAIPwvJZ9Gq3zMNPR2pJ0CM1iKDUZJeqCtg5bCqoKEtcU4";
// Of "node1", hashed with a salt (HashKnownHosts of ssh_config(5)).
constexpr const char* hashed_node1 = "|1|WxJI2/C4j61VaxzZ35aEowxapK0=|R51QNLK8S7JXgrgqngVngh3F3Gs=";

std::string line(const std::string& host) {
  return "@revoked " + host + " ssh-ed25519 " + key + " a comment\n";
}

TEST(RevokedKeys, AreSeenForTheirHosts) {
  EXPECT_TRUE(is_revoked(line("node1"), "node1", key));
  EXPECT_TRUE(is_revoked("# x\n\n" + line("node1,10.0.0.1"), "10.0.0.1", key));
  EXPECT_TRUE(is_revoked(line("*"), "node1", key));
  EXPECT_TRUE(is_revoked(line("[node1]:2222"), "[node1]:2222", key));
}

TEST(RevokedKeys, AreNotThoseOfOtherHostsPortsAndKeys) {
  EXPECT_FALSE(is_revoked(line("node2"), "node1", key));
  EXPECT_FALSE(is_revoked(line("[node1]:2222"), "node1", key));
  EXPECT_FALSE(is_revoked(line("node1"), "node1", other_key));
  EXPECT_FALSE(is_revoked("node1 ssh-ed25519 " + std::string(key) + "\n", "node1", key));
  EXPECT_FALSE(is_revoked("@cert-authority node1 ssh-ed25519 " + std::string(key), "node1", key));
}

TEST(PeersOfSsh, AreNamedWithWhatTheirNameDoesNotTell) {
  EXPECT_EQ(label_of({"node1", "node1", 22, "ops", "node1"}), "'node1'");
  EXPECT_EQ(label_of({"a", "10.0.0.1", 22, "ops", "10.0.0.1"}), "'a' (ops@10.0.0.1:22)");
  EXPECT_EQ(label_of({"gate", "::1", 2222, "ops", "[::1]:2222", "node1"}),
            "jump host 'gate' (ops@[::1]:2222) on the way to 'node1'");
}

TEST(RevokedKeys, AreSeenBehindHashedNames) {
  EXPECT_TRUE(is_revoked(line(hashed_node1), "node1", key));
  EXPECT_FALSE(is_revoked(line(hashed_node1), "node2", key));
}

}  // namespace
}  // namespace topsctl

// What ssh_config files say of a host.
#include "host/network/ssh_config.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

SshConfig config_of(const std::string& text, const std::string& host) {
  const TemporaryFolder folder;
  return ssh_config_of({folder.write("config", text)}, host, folder.path());
}

TEST(SshConfigs, TakeTheFirstValueThatCounts) {
  const std::string text =
      "Host node1\n  StrictHostKeyChecking Accept-New\nHost node*\n  StrictHostKeyChecking yes\n"
      "  ProxyJump ops@gate:22\n";
  EXPECT_EQ(config_of(text, "node1").strict_host_key_checking, "accept-new");
  EXPECT_EQ(config_of(text, "node1").proxy_jump, "ops@gate:22");
  EXPECT_EQ(config_of(text, "node2").strict_host_key_checking, "yes");
  EXPECT_EQ(config_of(text, "other"), SshConfig{});
}

TEST(SshConfigs, AreWrittenInManyWays) {
  EXPECT_EQ(config_of("proxyjump=gate\n", "x").proxy_jump, "gate");
  EXPECT_EQ(config_of("ProxyJump = \"gate\"\r\n", "x").proxy_jump, "gate");
  EXPECT_EQ(config_of("\t# ProxyJump no\n\tCIPHERS\taes128-ctr\n", "x").algorithms.at("ciphers"),
            "aes128-ctr");
}

TEST(SshConfigs, NameAlgorithmsWholeOrAsChanges) {
  const SshConfig config = config_of(
      "KexAlgorithms +a,b\nKexAlgorithms c\nPubkeyAcceptedKeyTypes -d\nMACs ^e\nHostKeyAlgorithms "
      "f\n",
      "x");
  EXPECT_EQ(config.algorithms,
            (std::map<std::string, std::string>{{"kexalgorithms", "+a,b"},
                                                {"pubkeyacceptedalgorithms", "-d"},
                                                {"macs", "^e"},
                                                {"hostkeyalgorithms", "f"}}));
  EXPECT_TRUE(changes_usual("+a"));
  EXPECT_FALSE(changes_usual("a"));
  EXPECT_EQ(changed_list("a,b,c", "+c,d"), "a,b,c,d");
  EXPECT_EQ(changed_list("a,b,c", "^c,d"), "c,d,a,b");
  EXPECT_EQ(changed_list("ab,ac,b", "-a*"), "b");
  EXPECT_EQ(changed_list("a", "-a"), "");
}

TEST(SshConfigs, KnowPatternsWithStarsAndAgainst) {
  const std::string text = "Host *.lab !gate.lab\nProxyJump gate.lab\n";
  EXPECT_EQ(config_of(text, "node.lab").proxy_jump, "gate.lab");
  EXPECT_FALSE(config_of(text, "gate.lab").proxy_jump);
  EXPECT_TRUE(fits_patterns("Node1", {"node?"}));
  EXPECT_FALSE(fits_patterns("node10", {"node?"}));
}

TEST(SshConfigs, PassOverMatchesThatTheyCannotJudge) {
  EXPECT_EQ(config_of("Match all\nProxyJump a\n", "x").proxy_jump, "a");
  EXPECT_EQ(config_of("Match host x,y\nProxyJump a\n", "y").proxy_jump, "a");
  EXPECT_FALSE(config_of("Match exec \"true\"\nProxyJump a\n", "x").proxy_jump);
  EXPECT_FALSE(config_of("Match host x user root\nProxyJump a\n", "x").proxy_jump);
}

TEST(SshConfigs, MayNotJumpOnceACommandCounts) {
  EXPECT_EQ(config_of("ProxyCommand nc %h %p\nProxyJump a\n", "x").proxy_jump, "none");
}

TEST(SshConfigs, NameAllFilesOfKnownHosts) {
  const TemporaryFolder folder;
  const auto file = folder.write("config", "UserKnownHostsFile ~/a /b\nUserKnownHostsFile /c\n");
  EXPECT_EQ(ssh_config_of({file}, "x", "/srv/u").known_hosts,
            (std::vector<std::string>{"/srv/u/a", "/b"}));
}

TEST(SshConfigs, IncludeOthersOnlyWhereTheyCount) {
  const TemporaryFolder folder;
  folder.write("more", "ProxyJump a\n");
  const auto file = folder.write("config", "Host x\nInclude more\n");
  EXPECT_EQ(ssh_config_of({file}, "x", folder.path()).proxy_jump, "a");
  EXPECT_FALSE(ssh_config_of({file}, "y", folder.path()).proxy_jump);
}

TEST(SshConfigs, ThatIncludeThemselvesEnd) {
  const TemporaryFolder folder;
  const auto file = folder.write("config", "Include config\nProxyJump a\n");
  EXPECT_EQ(ssh_config_of({file}, "x", folder.path()).proxy_jump, "a");
}

TEST(SshConfigs, ThatAreNotThereSayNothing) {
  EXPECT_EQ(ssh_config_of({"/nowhere/config"}, "x", "/nowhere"), SshConfig{});
}

}  // namespace
}  // namespace topsctl

// What ssh_config files say of a host; tests/peers compares it with OpenSSH.
#include "host/network/ssh_config.hpp"

#include <gtest/gtest.h>

#include "host/network/ssh_config_lines.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using Words = std::vector<std::string>;

struct Configs : testing::Test {
  SshConfig config_of(const std::string& text, const std::string& host) {
    query.files = {folder.write("config", text)};
    query.host = host;
    return ssh_config_of(query);
  }

  TemporaryFolder folder;
  SshConfigQuery query{{}, "", "", 0, "", "me", "/srv/me", {{"KEYS", "/k"}}};
};

TEST_F(Configs, ExpandTokensVariablesAndHome) {
  const SshConfig config = config_of(
      "Host a\nHostName b\nPort 7\nUser ops\nIdentityFile ~/%h-%n-%r-%p-%u-%%\nIdentityFile "
      "${KEYS}/x\nIdentityFile none\nHostKeyAlias c\nCertificateFile %k%d\n",
      "a");
  EXPECT_EQ(config.expanded("identityfile"), (Words{"/srv/me/b-a-ops-7-me-%", "/k/x"}));
  EXPECT_EQ(config.expanded("certificatefile"), Words{"c/srv/me"});
  EXPECT_EQ(config.expanded("userknownhostsfile"), Words{});
}

TEST_F(Configs, NameTokensAndVariablesThatAreNotKnown) {
  EXPECT_THROW(config_of("IdentityFile %C\n", "a").expanded("identityfile"), Error);
  EXPECT_THROW(config_of("IdentityFile ${NO}\n", "a").expanded("identityfile"), Error);
}

TEST_F(Configs, RefuseNamesThatAShellWouldTakeForSomethingElse) {
  EXPECT_THROW(config_of("HostName $(id)\n", "a"), Error);
  EXPECT_THROW(config_of("User a;b\n", "a"), Error);
  EXPECT_THROW(config_of("HostName -oProxyCommand=x\n", "a"), Error);
}

TEST_F(Configs, FollowCanonicalNames) {
  query.resolve = [](const std::string& name) -> std::optional<std::string> {
    if (name == "a.lab.") return "x.farm";
    return name == "b.other." ? std::optional("b.other") : std::nullopt;
  };
  const std::string text =
      "CanonicalizeHostname yes\nCanonicalDomains lab other\nCanonicalizePermittedCNAMEs "
      "*.lab:*.farm\nHost *.farm\nPort 1\nHost *.other\nPort 2\nMatch canonical\nUser late\n";
  EXPECT_EQ(config_of(text, "a").host, "x.farm");
  EXPECT_EQ(config_of(text, "a").port, 1U);
  EXPECT_EQ(config_of(text, "b").host, "b.other");
  EXPECT_EQ(config_of(text, "b").port, 2U);
  EXPECT_EQ(config_of(text, "c").host, "c");
  EXPECT_EQ(config_of(text, "c").user, "late");
  EXPECT_EQ(config_of("Host a\nHostName b\n" + text, "a").host, "b.other");
  EXPECT_THROW(config_of("CanonicalizeFallbackLocal no\n" + text, "c"), Error);
}

TEST_F(Configs, ThatIncludeEachOtherManyTimesAreRefused) {
  const std::string line = "Include " + (folder.path() / "config*").string() + "\n";
  folder.write("config2", line + line + line);
  EXPECT_THROW(config_of(line + line + line, "a"), Error);
}

TEST_F(Configs, ThatIncludeThemselvesEnd) {
  folder.write("config", "");
  const std::string text = "Include " + (folder.path() / "config").string() + "\nPort 9\n";
  EXPECT_EQ(config_of(text, "x").port, 9U);
}

TEST_F(Configs, ThatAreNotThereSayNothing) {
  query.files = {"/nowhere/config"};
  query.host = "x";
  const SshConfig config = ssh_config_of(query);
  EXPECT_TRUE(config.values.empty() && config.ignored.empty());
  EXPECT_EQ(config.user, "me");
}

TEST_F(Configs, OfAllUsersMaySwitchGssapiOn) {
  query.files = {folder.write("none", ""), folder.write("all", "GSSAPIAuthentication yes\n")};
  query.host = "x";
  EXPECT_EQ(ssh_config_of(query).ignored, Words{});
  EXPECT_EQ(config_of("GSSAPIAuthentication yes\n", "x").ignored.size(), 1U);
}

TEST(SshPatterns, HaveStarsQuestionMarksAndExceptions) {
  EXPECT_TRUE(is_like("node12", "n*1?"));
  EXPECT_TRUE(is_like("", "*"));
  EXPECT_TRUE(is_like("aXbXc", "a*X*c*"));
  EXPECT_FALSE(is_like("node1", "node"));
  EXPECT_FALSE(is_like("node1", "Node1"));
  EXPECT_TRUE(fits_patterns("a", {"*", "!b"}));
  EXPECT_FALSE(fits_patterns("b", {"*", "!b"}));
}

TEST(SshTimes, HaveUnits) {
  EXPECT_EQ(ssh_seconds("90"), 90);
  EXPECT_EQ(ssh_seconds("1h2m3S"), 3723);
  EXPECT_EQ(ssh_seconds("none"), 0);
  EXPECT_EQ(ssh_seconds("5x"), std::nullopt);
  EXPECT_EQ(ssh_seconds("9999999999w"), std::nullopt);
}

TEST(SshAlgorithms, AreWholeListsOrChanges) {
  EXPECT_TRUE(changes_usual("+a"));
  EXPECT_FALSE(changes_usual("a"));
  EXPECT_EQ(changed_list("a,b,c", "+c,d"), "a,b,c,d");
  EXPECT_EQ(changed_list("a,b,c", "^c,d"), "c,d,a,b");
  EXPECT_EQ(changed_list("ab,ac,b", "-a*"), "b");
  EXPECT_EQ(changed_list("a", "-a"), "");
}

}  // namespace
}  // namespace topsctl

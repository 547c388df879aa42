// Who is trusted, read only from where nobody else can write.
#include "host/trust/trusted_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

constexpr const char* line =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKfmxdHF+iReLpoST+H4+L4Kz8rnT9kiQD5cBc6HFXJ+ release@lab";

TEST(TrustedKeys, AreTheLinesOfAllPubFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_trusted_keys(folder / "none").empty());
  folder.write("keys/a.pub", std::string("# of the lab\n\n") + line + "\n" + line);
  folder.write("keys/b.pub.old", "no key");
  const auto keys = read_trusted_keys(folder / "keys");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].comment, "release@lab");
}

TEST(TrustedKeys, AreNotReadFromWhatOthersMayWrite) {
  const TemporaryFolder folder;
  const auto file = folder.write("keys/a.pub", line);
  const auto code = [&] {
    return thrown_by([&] { static_cast<void>(read_trusted_keys(folder / "keys")); }).code();
  };
  ::chmod(file.c_str(), 0664);
  EXPECT_EQ(code(), ErrorCode::permission);
  ::chmod(file.c_str(), 0644);
  EXPECT_EQ(read_trusted_keys(folder / "keys").size(), 1U);
  for (const mode_t mode : {0775U, 0777U, 01777U}) {
    ::chmod((folder / "keys").c_str(), mode);
    EXPECT_EQ(code(), ErrorCode::permission) << mode;
  }
  ::chmod((folder / "keys").c_str(), 0755);
  std::filesystem::create_symlink(file, folder / "keys/b.pub");
  EXPECT_EQ(code(), ErrorCode::permission);
  std::filesystem::remove(folder / "keys/b.pub");
  ::mkfifo((folder / "keys/b.pub").c_str(), 0600);
  EXPECT_EQ(code(), ErrorCode::permission);
  std::filesystem::remove(folder / "keys/b.pub");
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(file.c_str(), 1000, 1000), 0);
  EXPECT_EQ(code(), ErrorCode::permission);
}

TEST(TrustedKeys, OfABadLineNameFileAndLine) {
  const TemporaryFolder folder;
  folder.write("keys/a.pub", std::string(line) + "\nssh-rsa AAAA x\n");
  const Error error = thrown_by([&] { static_cast<void>(read_trusted_keys(folder / "keys")); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("line 2 of '"));
  EXPECT_THAT(error.message(), HasSubstr("got 'ssh-rsa'"));
  EXPECT_FALSE(error.hint().empty());
  folder.write("keys/a.pub", std::string(70000, '#'));
  EXPECT_THAT(thrown_by([&] { static_cast<void>(read_trusted_keys(folder / "keys")); }).message(),
              HasSubstr("too large"));
}

TEST(Policy, IsReadStrictly) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_policy(folder / "config.json").require_signature);
  const auto policy_of = [&](const char* text) {
    return read_policy(folder.write("config.json", text));
  };
  EXPECT_TRUE(policy_of(R"({"require-signature": true})").require_signature);
  EXPECT_FALSE(policy_of(R"({"require-signature": false})").require_signature);
  EXPECT_FALSE(policy_of("{}").require_signature);
  for (const char* bad :
       {"", "[]", "true", R"({"require_signature": true})", R"({"require-signature": 1})",
        R"({"require-signature": "true"})", R"({"require-signature": true}})"}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(policy_of(bad)); }).code(), ErrorCode::host_unfit)
        << bad;
  }
  const auto file = folder.write("config.json", "{}");
  ::chmod(file.c_str(), 0666);
  EXPECT_EQ(thrown_by([&] { static_cast<void>(read_policy(file)); }).code(), ErrorCode::permission);
}

}  // namespace
}  // namespace topsctl

// Signatures of real ssh-keygen, and the same with every byte changed.
#include "topsctl/host/trust/ssh_signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

// By `ssh-keygen -Y sign -n topsctl-lock` of OpenSSH 9.2, with and without `-O hashalg=sha256`.
constexpr std::string_view message = "a lock\n";
constexpr std::string_view key_line =
    "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIKfmxdHF+iReLpoST+H4+L4Kz8rnT9kiQD5cBc6HFXJ+ release@lab";
constexpr std::string_view id = "SHA256:9HBHnO0CxCEbhqrxbmxrsNUk4eh16yadW6Q8C9YV+ho";
constexpr std::string_view by_sha512 =
    "-----BEGIN SSH SIGNATURE-----\n"
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgp+bF0cX6JF4umhJP4fj4vgrPyu\n"
    "dP2SJAPlwFzocVcn4AAAAMdG9wc2N0bC1sb2NrAAAAAAAAAAZzaGE1MTIAAABTAAAAC3Nz\n"
    "aC1lZDI1NTE5AAAAQDjqFP1i4XObJ/ZfXj8UhoIXM9fo9TMOnTNwc2Tvvz9yVzxgMhdDss\n"
    "4zGzHp+wiKCkpszPqQPqiKi+NdOPzwQw0=\n"
    "-----END SSH SIGNATURE-----\n";
constexpr std::string_view by_sha256 =
    "-----BEGIN SSH SIGNATURE-----\n"
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgp+bF0cX6JF4umhJP4fj4vgrPyu\n"
    "dP2SJAPlwFzocVcn4AAAAMdG9wc2N0bC1sb2NrAAAAAAAAAAZzaGEyNTYAAABTAAAAC3Nz\n"
    "aC1lZDI1NTE5AAAAQGiSa3VpR7ZgY0zsrcHJ4lTX+jESBpth7Efb7jmx22WM0j4dEvLyzj\n"
    "KWvNqHxSY9EQfE6H5Vu5kSt+G+JiPaCwY=\n"
    "-----END SSH SIGNATURE-----\n";
constexpr std::string_view of_a_stack =
    "-----BEGIN SSH SIGNATURE-----\n"
    "U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgp+bF0cX6JF4umhJP4fj4vgrPyu\n"
    "dP2SJAPlwFzocVcn4AAAANdG9wc2N0bC1zdGFjawAAAAAAAAAGc2hhNTEyAAAAUwAAAAtz\n"
    "c2gtZWQyNTUxOQAAAEA8xzhUG++qZNN8IC5ijq+6I8L1Y1/DubFi8fIbIAuKn+0afbJSH3\n"
    "f6EYcO0hvr/dg6xM+DfTwlskxpow1RJVwD\n"
    "-----END SSH SIGNATURE-----\n";
constexpr std::string_view by_rsa =
    "-----BEGIN SSH SIGNATURE-----\n"
    "U1NIU0lHAAAAAQAAAZcAAAAHc3NoLXJzYQAAAAMBAAEAAAGBAJqcOrYLWj8ZulBAWudgwP\n"
    "Dnbv5SsOfhs8HpwADn/ZH/CmV+GvXbbSs14dLUgeZNzFibF4srTWIVAP0RsAE4UQknNMWg\n"
    "6Cat5Y50IxihhnYsqsb+W9HCPdzGZ0id7krFwB0yxPXO5jZJvR4rNaZp71nCgEmz2+SAW0\n"
    "0JOPPk7Y43LkwB3o/3N/TMXww2xix9FnqD6gXAmkd/zpLrmP/0ZAacec3uWFb9QdOwZM4K\n"
    "gx18+hgRfUlPAGJvbn6jg6GZdJ69KeBLoHPTtcX9S+b2PXJ7HHFBQNIGKMjOa++oPG1w/N\n"
    "kbVMQpw+E8xjWyifwdJJXER/OfTMMqPLqPcGm3fImjqPTqWfQyjEitWxukLxdy3O3Xk+01\n"
    "NuUcVfKHyoIJz3AosQRLKOEDT5BXFK8lZdXFctDacpztPf7pcdrS2l1dgu7rLkWVUkgqCN\n"
    "pKDgYCRSNi6X23SASdIbkWSdfhdysjDhO96pUX7pjXTRJGpFJo1RK62JlXGlGFR7KFRHJN\n"
    "CQAAAAx0b3BzY3RsLWxvY2sAAAAAAAAABnNoYTUxMgAAAZQAAAAMcnNhLXNoYTItNTEyAA\n"
    "ABgDURk5Zi1WdLNnu9Mi33F2aKfiwRcjL++FXQtMs1wvKm5ALXXiA5jJx+2nlYbCfxOQU8\n"
    "1cjgpw944KFkcTFzxOB0bqAJyjN2YcU9lbuuDjCMYLuSVzXgs/ChRVwSc+T5IXg4VYjvh3\n"
    "uovu9UREZVSIOYVebHqHCREUOh5jDuW4hZTwLcmnRrFGc844FI0tIzSAyoSScA1jZUKh7P\n"
    "Cph9ZzJI8DrKJC4q742QWnK8CsNXUW8N6yib7J9sPPxzvPWCTxjxY5m2eHQuUTzrFeOYUt\n"
    "3+FIN6V3URUjMECKRrHhDNHzpsrGvLscu8Wb8t4vILmT/RM40GTGva+QjuJIsCEA2Fj6ET\n"
    "FhxzWRsH+qxoc1c8gYV/DqS8rVxWaLoY1JGZWtU6xdUyUlxYCGReqkpxMt/7rMUOXAoOnH\n"
    "RrtcB4ev1k0I2HneOEkdPNwEzk6S5luvzcmLhEwFO+7NXsSnE0bgeOt3u1bqFPM79HRGU6\n"
    "aeyYP7GvqrpBxXVaKeb/Eomhqg==\n"
    "-----END SSH SIGNATURE-----\n";

std::string signer_of(std::string_view bytes, std::string_view armored) {
  return signing_key(bytes, armored, "topsctl-lock");
}

bool is_refused(std::string_view bytes, std::string_view armored) {
  try {
    static_cast<void>(signer_of(bytes, armored));
    return false;
  } catch (const Error& error) {
    return error.code() == ErrorCode::bad_package;
  }
}

TEST(SshSignatures, TellTheKeyThatMadeThem) {
  const SshPublicKey key = parse_ssh_key(key_line);
  EXPECT_EQ(key.comment, "release@lab");
  EXPECT_EQ(key_id(key.bytes), id);
  EXPECT_EQ(signer_of(message, by_sha512), key.bytes);
  EXPECT_EQ(signer_of(message, by_sha256), key.bytes);
}

TEST(SshSignatures, AreRefusedWithAnyBitOfTheMessageChanged) {
  for (std::size_t i = 0; i < message.size() * 8; ++i) {
    std::string changed(message);
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_TRUE(is_refused(changed, by_sha512)) << i;
  }
  EXPECT_TRUE(is_refused("", by_sha512));
  EXPECT_TRUE(is_refused("a lock\n\n", by_sha512));
}

TEST(SshSignatures, AreRefusedWithAnyBitOfThemChanged) {
  for (const std::string_view armored : {by_sha512, by_sha256}) {
    for (std::size_t i = 0; i < armored.size() * 8; ++i) {
      std::string changed(armored);
      changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
      EXPECT_TRUE(is_refused(message, changed)) << i;
    }
  }
}

TEST(SshSignatures, AreRefusedCutShortOrWithMore) {
  for (std::size_t size = 0; size + 1 < by_sha512.size(); ++size)
    EXPECT_TRUE(is_refused(message, by_sha512.substr(0, size))) << size;
  EXPECT_FALSE(
      is_refused(message, by_sha512.substr(0, by_sha512.size() - 1)));  // the last line end
  EXPECT_TRUE(is_refused(message, std::string(by_sha512) + "\n"));
  EXPECT_TRUE(is_refused(message, std::string(by_sha512) + std::string(by_sha512)));
  EXPECT_TRUE(is_refused(message, std::string(1 << 20, 'A')));
}

TEST(SshSignatures, AreForOnePurposeAndByOneKindOfKey) {
  EXPECT_EQ(thrown_by([] { static_cast<void>(signer_of(message, of_a_stack)); }).message(),
            "it was signed for namespace 'topsctl-stack', not 'topsctl-lock'");
  EXPECT_EQ(thrown_by([] { static_cast<void>(signer_of(message, by_rsa)); }).message(),
            "the key is of type 'ssh-rsa', only ssh-ed25519 is accepted");
}

TEST(SshKeys, AreLinesOfEd25519) {
  const std::string line(key_line);
  const std::string without_comment = line.substr(0, line.rfind(' '));
  EXPECT_EQ(parse_ssh_key(without_comment).comment, "");
  EXPECT_EQ(parse_ssh_key("  " + line + " \r").bytes, parse_ssh_key(line).bytes);
  for (const std::string& bad :
       {std::string("ssh-ed25519"), std::string("ssh-rsa AAAA x"), "command=\"x\" " + line,
        without_comment.substr(0, without_comment.size() - 4), without_comment + "AAAA",
        std::string("ssh-ed25519 !!!! x")}) {
    EXPECT_EQ(thrown_by([&] { static_cast<void>(parse_ssh_key(bad)); }).code(),
              ErrorCode::host_unfit)
        << bad;
  }
}

}  // namespace
}  // namespace topsctl

// Digests as RECORD files have them, against known answers.
#include "topsctl/host/python/record_digest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/temporary_folder.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

std::string digest_of_abc(std::string_view algorithm) {
  RecordDigest digest;
  EXPECT_TRUE(digest.begin(algorithm));
  digest.update("a");
  digest.update("bc");
  return digest.base64url();
}

// FIPS 180-4, examples for "abc".
TEST(RecordDigests, AreThoseOfTheStandard) {
  EXPECT_EQ(digest_of_abc("sha256"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  EXPECT_EQ(digest_of_abc("sha384"),
            "ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP_W-2AhgcroefMI1i67KE0yCWn");
  EXPECT_EQ(
      digest_of_abc("sha512"),
      "3a81oZNherrMQXNJriBBMRLm-k6JqX6iCp7u5ktV05ohkpkqJ0_BqDa6PCOj_uu9RU1EI2Q86A4qmslPpUyknw");
}

TEST(RecordDigests, OfWeakAlgorithmsAreNotMade) {
  RecordDigest digest;
  for (const char* name : {"md5", "sha1", "", "SHA256"}) EXPECT_FALSE(digest.begin(name)) << name;
}

TEST(RecordDigests, MayFollowEachOther) {
  RecordDigest digest;
  digest.begin("sha256");
  digest.update("left behind");
  for (int i = 0; i < 2; ++i) {
    digest.begin("sha256");
    digest.update("abc");
    EXPECT_EQ(digest.base64url(), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  }
}

TEST(RecordDigests, MayBeTakenSideBySide) {
  const std::vector<std::string> algorithms = {"sha256", "sha512", "sha256"};
  std::array<RecordDigest, 3> digests;
  for (std::size_t i = 0; i < digests.size(); ++i) digests[i].begin(algorithms[i]);
  RecordDigest::update_each(std::vector<RecordDigest::Piece>{
      {&digests[0], "abc"}, {&digests[1], "ab"}, {&digests[2], "a"}});
  RecordDigest::update_each(
      std::vector<RecordDigest::Piece>{{&digests[2], "bc"}, {&digests[1], "c"}});
  for (std::size_t i = 0; i < digests.size(); ++i)
    EXPECT_EQ(digests[i].base64url(), digest_of_abc(algorithms[i])) << i;
}

TEST(RecordDigests, OfFilesAreByTheAlgorithmThatRecordNames) {
  TemporaryFolder folder;
  const auto file = folder.write("a", "abc");
  for (const char* algorithm : {"sha256", "sha384", "sha512"})
    EXPECT_EQ(recorded_digest(file, algorithm), digest_of_abc(algorithm)) << algorithm;
  EXPECT_EQ(recorded_digest(file, "md5"), std::nullopt);
  EXPECT_THROW(recorded_digest(folder / "none", "sha512"), Error);
}

}  // namespace
}  // namespace topsctl

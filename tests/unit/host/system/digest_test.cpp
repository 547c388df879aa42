// Known vectors of SHA-256 and CRC-32C.
#include "topsctl/host/system/digest.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

// FIPS 180-4, examples of NIST.
TEST(Sha256Digests, AreThoseOfTheStandard) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Digests, DoNotDependOnThePieces) {
  Sha256 digest;
  digest.update("a");
  digest.update("");
  digest.update("bc");
  EXPECT_EQ(digest.hex(), sha256_of("abc"));
}

TEST(Sha256Digests, HaveTheFormOfRecordFiles) {
  Sha256 digest;
  EXPECT_EQ(digest.base64url(), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
}

TEST(Sha256Digests, OfFilesAreThoseOfTheirBytes) {
  const TemporaryFolder folder;
  const std::string bytes = std::string(3'000'000, 'x') + '\0' + "end";
  EXPECT_EQ(sha256_of_file(folder.write("file", bytes)), sha256_of(bytes));
}

TEST(Sha256Digests, OfWhatIsNoFileAreAnError) {
  const TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { sha256_of_file(folder / "missing"); }).code(), ErrorCode::internal);
  EXPECT_EQ(thrown_by([&] { sha256_of_file(folder.path()); }).code(), ErrorCode::internal);
}

// RFC 3720, appendix B.4.
TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
}

}  // namespace
}  // namespace topsctl

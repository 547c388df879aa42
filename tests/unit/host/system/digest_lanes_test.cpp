// SHA-256 side by side is what it is one after another.
#include "topsctl/host/system/digest_lanes.hpp"

#include <gtest/gtest.h>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

class DigestLanes : public testing::Test {
 protected:
  void SetUp() override {
    if (!Sha256Lanes::is_available()) GTEST_SKIP() << "this libcrypto cannot";
  }
};

TEST_F(DigestLanes, TakeWhatOneDigestTakes) {
  ASSERT_GT(Sha256Lanes::best(), 0U);
  for (unsigned count = 1; count <= Sha256Lanes::most; ++count) {
    Sha256Lanes lanes(count);
    std::vector<std::string> texts;
    for (unsigned lane = 0; lane < count; ++lane) {
      texts.emplace_back();
      for (unsigned i = 0; i < 640; ++i) texts.back().push_back(static_cast<char>(i * 31 + lane));
    }
    for (const auto& [from, size] :
         {std::pair(0U, 64U), std::pair(64U, 0U), std::pair(64U, 576U)}) {
      std::vector<std::string_view> pieces;
      for (const std::string& text : texts)
        pieces.push_back(std::string_view(text).substr(from, size));
      lanes.update(pieces);
    }
    const std::vector<std::string> digests = lanes.bytes();
    ASSERT_EQ(digests.size(), count);
    for (unsigned lane = 0; lane < count; ++lane)
      EXPECT_EQ(hex_text(digests[lane]), sha256_of(texts[lane])) << lane << " of " << count;
  }
}

TEST_F(DigestLanes, TakeTextsWhoseLengthNeedsTheUpperHalf) {
  // 512 MiB are 2^32 bits.
  const std::string block(4U << 20U, 'x');
  Sha256Lanes lanes(2);
  Sha256 single;
  for (int i = 0; i < 128; ++i) {
    lanes.update(std::vector<std::string_view>(2, block));
    single.update(block);
  }
  EXPECT_EQ(lanes.bytes()[1], single.bytes());
}

TEST_F(DigestLanes, RefuseWhatIsNotOfWholeBlocks) {
  Sha256Lanes lanes(2);
  const std::string block(64, 'x');
  EXPECT_THROW(lanes.update(std::vector<std::string_view>{block}), Error);
  EXPECT_THROW(lanes.update(std::vector<std::string_view>{block, "x"}), Error);
  EXPECT_THROW(lanes.update(std::vector<std::string_view>{"x", "x"}), Error);
  EXPECT_THROW(Sha256Lanes(0), Error);
  EXPECT_THROW(Sha256Lanes(Sha256Lanes::most + 1), Error);
}

}  // namespace
}  // namespace topsctl

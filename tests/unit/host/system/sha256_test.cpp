// SHA-256 side by side is what it is one after another.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

std::string text_of(unsigned seed, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i * 31 + seed));
  return text;
}

// What the digests are after the pieces of each round, a size for each digest.
void expect_digests_of(const std::vector<std::vector<std::size_t>>& rounds) {
  const std::size_t count = rounds.front().size();
  std::vector<Sha256> digests(count);
  std::vector<std::string> texts(count);
  for (const std::vector<std::size_t>& sizes : rounds) {
    std::vector<std::string> more;
    std::vector<Sha256::Piece> pieces;
    for (std::size_t i = 0; i < count; ++i)
      more.push_back(text_of(static_cast<unsigned>(i + texts[i].size()), sizes[i]));
    for (std::size_t i = 0; i < count; ++i) {
      pieces.push_back({&digests[i], more[i]});
      texts[i] += more[i];
    }
    Sha256::update_each(pieces);
  }
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(digests[i].hex(), sha256_of(texts[i])) << i << " of " << count;
}

TEST(Sha256SideBySide, IsWhatEachIsAlone) {
  for (std::size_t count = 1; count <= 2 * Sha256::most_lanes + 1; ++count) {
    expect_digests_of({std::vector<std::size_t>(count, 64), std::vector<std::size_t>(count, 0),
                       std::vector<std::size_t>(count, 576)});
  }
}

TEST(Sha256SideBySide, TakesPiecesOfAnySize) {
  expect_digests_of({{64, 640}, {640, 64}, {0, 128}});
  expect_digests_of({{1, 64}, {64, 64}, {63, 64}, {128, 128}});
  expect_digests_of({{64, 64, 65}, {192, 192, 63}, {256, 256, 256}});
  for (const std::size_t count : {7U, 11U, 16U}) {
    std::vector<std::size_t> sizes(count, 640);
    for (std::size_t i = 0; i < count; ++i) sizes[i] += i;
    expect_digests_of({std::vector<std::size_t>(count, 64), sizes, sizes});
  }
}

// What a processor lacks is tested nowhere on it; this says so.
TEST(Sha256SideBySide, PaysAtAsManyAsItLikesBest) {
  EXPECT_FALSE(Sha256::pay_side_by_side(0));
  EXPECT_FALSE(Sha256::pay_side_by_side(1));
  if (Sha256::lanes() == 1) GTEST_SKIP() << "digests are taken one after the other here";
  EXPECT_TRUE(Sha256::pay_side_by_side(Sha256::lanes()));
  if (Sha256::lanes() < Sha256::most_lanes)
    GTEST_SKIP() << Sha256::lanes() << " of " << Sha256::most_lanes << " lanes here";
}

TEST(Sha256SideBySide, CountsALengthThatNeedsTheUpperHalf) {
  // 512 MiB are 2^32 bits.
  const std::string block(4U << 20U, 'x');
  std::array<Sha256, 2> digests;
  Sha256 single;
  for (int i = 0; i < 128; ++i) {
    Sha256::update_each(std::vector<Sha256::Piece>{{&digests[0], block}, {&digests[1], block}});
    single.update(block);
  }
  EXPECT_EQ(digests[1].bytes(), single.bytes());
}

}  // namespace
}  // namespace topsctl

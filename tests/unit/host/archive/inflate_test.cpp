// The deflate decoder: what zlib packs comes back, and zlib and it agree on what is damaged.
#include "host/archive/inflate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/deflate.hpp"
#include "support/inflated.hpp"

namespace topsctl {
namespace {

TEST(Inflater, GivesBackWhatZlibPacks) {
  for (const std::size_t size : {0U, 1U, 2U, 7U, 258U, 259U, 300'000U, 1'000'000U}) {
    const std::string plain = mixed(size, static_cast<unsigned>(size));
    for (const int level : {0, 1, 6, 9}) {
      for (const int strategy : {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
        const std::string packed = deflated(plain, level, strategy);
        const Inflated got = inflated(packed);
        EXPECT_EQ(got.used, packed.size()) << size << " " << level << " " << strategy;
        EXPECT_TRUE(got.bytes == plain) << size << " " << level << " " << strategy;
      }
    }
  }
}

TEST(Inflater, GivesBackRunsOfEveryPeriod) {
  for (std::size_t period = 1; period < 40; ++period) {
    std::string plain = mixed(period, 7);
    while (plain.size() < 2000) plain.push_back(plain[plain.size() - period]);
    EXPECT_TRUE(inflated(deflated(plain)).bytes == plain) << period;
  }
}

TEST(Inflater, ReachesBackOver32KiB) {
  const std::string block = mixed(32'768, 3);
  std::string plain = block;
  for (int i = 0; i < 20; ++i) plain += block;
  EXPECT_TRUE(inflated(deflated(plain, 9)).bytes == plain);
}

TEST(Inflater, TakesItsInputInPiecesOfAnySize) {
  const std::string plain = mixed(20'000, 5);
  for (const int level : {0, 6}) {
    const std::string packed = deflated(plain, level);
    for (const std::size_t piece : {1U, 2U, 3U, 31U, 32U, 33U, 639U, 640U, 641U}) {
      const Inflated got = inflated(packed, piece);
      EXPECT_EQ(got.used, packed.size()) << piece;
      EXPECT_TRUE(got.bytes == plain) << piece;
    }
  }
}

TEST(Inflater, LeavesWhatFollowsTheStream) {
  for (const std::size_t follow : {1U, 7U, 8U, 9U, 100U, 200'000U}) {
    const std::string packed = deflated("some text, some more text");
    const Inflated got = inflated(packed + std::string(follow, '\xff'));
    EXPECT_EQ(got.used, packed.size()) << follow;
    EXPECT_EQ(got.bytes, "some text, some more text");
  }
}

TEST(Inflater, RefusesEveryTruncation) {
  for (const int level : {0, 1, 9}) {
    const std::string packed = deflated(mixed(3000, 9), level);
    for (std::size_t length = 0; length < packed.size(); ++length) {
      EXPECT_FALSE(inflated(packed.substr(0, length)).used) << level << " " << length;
    }
  }
}

// The judge is zlib: the same streams are sound, and say the same.
TEST(Inflater, AgreesWithZlibOnDamagedStreams) {
  std::mt19937 random(11);
  std::size_t sound = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string packed =
        deflated(mixed(200 + random() % 3000, random()), static_cast<int>(random() % 10),
                 random() % 3 == 0 ? Z_FIXED : Z_DEFAULT_STRATEGY);
    for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
      // The headers of blocks are where most can go wrong.
      const std::size_t at =
          random() % (random() % 2 == 0 ? std::min<std::size_t>(packed.size(), 80) : packed.size());
      packed[at] = static_cast<char>(packed[at] ^ (1U << (random() % 8)));
    }
    const std::optional<std::string> expected = by_zlib(packed);
    const Inflated got = inflated(packed);
    ASSERT_EQ(got.used.has_value(), expected.has_value()) << round;
    if (!expected) continue;
    ++sound;
    ASSERT_TRUE(got.bytes == *expected) << round;
  }
  EXPECT_GT(sound, 100U);
}

TEST(Inflater, AgreesWithZlibOnNoise) {
  std::mt19937 random(12);
  for (int round = 0; round < 20'000; ++round) {
    std::string packed(1 + random() % 200, '\0');
    for (char& c : packed) c = static_cast<char>(random());
    // A block with codes of its own, as noise seldom begins.
    if (round % 2 == 0) packed[0] = static_cast<char>((packed[0] & ~7U) | 5U);
    const std::optional<std::string> expected = by_zlib(packed);
    const Inflated got = inflated(packed);
    ASSERT_EQ(got.used.has_value(), expected.has_value()) << round;
    if (expected) {
      ASSERT_TRUE(got.bytes == *expected) << round;
    }
  }
}

// The decoder serves for another stream after what `more` or `take` threw.
TEST(Inflater, PassesOnWhatItsCallersThrow) {
  const std::string plain = mixed(1'000'000, 4);
  const std::string packed = deflated(plain);
  std::string_view left;
  std::string got;
  const auto more = [&](char* to, std::size_t room) {
    const std::size_t size = left.copy(to, std::min<std::size_t>(room, 10'000));
    left.remove_prefix(size);
    return size;
  };
  const auto failing_more = [&](char* to, std::size_t room) {
    if (left.size() < packed.size() / 2) throw std::runtime_error("enough");
    return more(to, room);
  };
  const auto take = [&](std::string_view bytes) { got += bytes; };
  const auto failing_take = [](std::string_view) { throw std::runtime_error("enough"); };
  Inflater inflater;
  left = packed;
  EXPECT_THROW(inflater.run(more, failing_take), std::runtime_error);
  left = packed;
  EXPECT_THROW(inflater.run(failing_more, take), std::runtime_error);
  left = packed;
  got.clear();
  EXPECT_EQ(inflater.run(more, take), packed.size());
  EXPECT_TRUE(got == plain);
}

TEST(Inflater, GivesPiecesOf256KiBAtMost) {
  const std::string packed = deflated(std::string(3'000'000, 'x'), 9);
  std::string_view left = packed;
  std::size_t largest = 0;
  std::size_t smallest = SIZE_MAX;
  Inflater().run(
      [&](char* to, std::size_t room) {
        const std::size_t size = left.copy(to, room);
        left.remove_prefix(size);
        return size;
      },
      [&](std::string_view bytes) {
        largest = std::max(largest, bytes.size());
        smallest = std::min(smallest, bytes.size());
      });
  EXPECT_LE(largest, 256U << 10U);
  EXPECT_GT(smallest, 0U);
}

// The output's end near a piece's, and so the last code alone after it.
TEST(Inflater, EndsWhereAPieceEnds) {
  for (std::size_t size = (256U << 10U) - 330; size < (256U << 10U) + 5; ++size) {
    const std::string plain(size, 'x');
    const Inflated got = inflated(deflated(plain));
    ASSERT_TRUE(got.used && got.bytes == plain) << size;
  }
}

}  // namespace
}  // namespace topsctl

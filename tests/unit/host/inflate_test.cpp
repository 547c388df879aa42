// The deflate decoder: what zlib packs comes back, and zlib and it agree on what is damaged.
#include "topsctl/host/inflate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "../support/deflate.hpp"

namespace topsctl {
namespace {

struct Inflated {
  std::string bytes;
  std::optional<std::uint64_t> used;
};

// In input pieces of a given size, so that every boundary falls everywhere once.
Inflated inflated(std::string_view packed, std::size_t piece = 1U << 20U) {
  static Inflater inflater;
  Inflated out;
  out.used = inflater.run(
      [&](char* to, std::size_t room) {
        const std::size_t size = std::min({room, piece, packed.size()});
        packed.copy(to, size);
        packed.remove_prefix(size);
        return size;
      },
      [&](std::string_view bytes) { out.bytes.append(bytes); });
  return out;
}

// What zlib makes of it; nothing if it calls it damaged or cut short.
std::optional<std::string> by_zlib(std::string packed) {
  z_stream stream{};
  inflateInit2(&stream, -15);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::string buffer(1U << 16U, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END ? std::optional(out) : std::nullopt;
}

// Like program code and text: repeats near and far, runs, noise.
std::string mixed(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string out;
  while (out.size() < size) {
    const std::size_t length = 1 + random() % 400;
    switch (random() % 4) {
      case 0:
        for (std::size_t i = 0; i < length; ++i) out.push_back(static_cast<char>(random()));
        break;
      case 1:
        out.append(length, static_cast<char>(random() % 3));
        break;
      case 2:
        for (std::size_t i = 0; i < length; ++i) out.push_back("etaoin shrdlu\n"[random() % 14]);
        break;
      default:
        if (out.empty()) break;
        for (std::size_t i = 0, back = 1 + random() % std::min<std::size_t>(out.size(), 40'000);
             i < length; ++i) {
          out.push_back(out[out.size() - back]);
        }
    }
  }
  out.resize(size);
  return out;
}

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

TEST(Inflater, PassesOnWhatItsTakerThrows) {
  const std::string packed = deflated(mixed(1'000'000, 4));
  std::string_view left = packed;
  Inflater inflater;
  EXPECT_THROW(inflater.run(
                   [&](char* to, std::size_t room) {
                     const std::size_t size = left.copy(to, room);
                     left.remove_prefix(size);
                     return size;
                   },
                   [](std::string_view) { throw std::runtime_error("enough"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace topsctl

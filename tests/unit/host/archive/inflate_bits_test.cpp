// The deflate decoder on data made bit by bit: each thing it must refuse, and what it must not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/inflated.hpp"

namespace topsctl {
namespace {

// Deflate data made bit by bit, sound or not.
class Bits {
 public:
  Bits& number(std::size_t value, unsigned size) {
    for (; size > 0; --size, value >>= 1U) bit(value & 1U);
    return *this;
  }
  // Codes come with their first bit first.
  Bits& code(std::size_t code, unsigned size) {
    while (size > 0) bit(code >> --size & 1U);
    return *this;
  }
  Bits& to_byte() {
    filled_ = 0;
    return *this;
  }

  Bits& stored(std::string_view content, bool is_last = true) {
    const std::size_t size = content.size();
    number(is_last ? 1 : 0, 3).to_byte().number(size, 16).number(size ^ 0xFFFFU, 16);
    bytes_ += content;
    return *this;
  }

  Bits& fixed_block() { return number(1, 1).number(1, 2); }
  Bits& fixed(unsigned symbol) {
    if (symbol < 144) return code(0x30 + symbol, 8);
    if (symbol < 256) return code(0x190 + symbol - 144, 9);
    if (symbol < 280) return code(symbol - 256, 7);
    return code(0xC0 + symbol - 280, 8);
  }
  Bits& fixed(std::string_view literals) {
    for (const char c : literals) fixed(static_cast<unsigned char>(c));
    return *this;
  }
  Bits& fixed_match(std::size_t length, std::size_t distance) {
    if (length == 258) {
      fixed(285);
    } else {
      unsigned symbol = 257;
      std::size_t base = 3;
      const auto extra = [&] { return symbol < 265 ? 0 : (symbol - 261) / 4; };
      for (; base + (1U << extra()) <= length; ++symbol) base += 1U << extra();
      fixed(symbol).number(length - base, extra());
    }
    unsigned symbol = 0;
    std::size_t base = 1;
    const auto extra = [&] { return symbol < 4 ? 0 : symbol / 2 - 1; };
    for (; base + (1U << extra()) <= distance; ++symbol) base += 1U << extra();
    return code(symbol, 5).number(distance - base, extra());
  }
  Bits& fixed_end() { return fixed(256); }

  // The beginning of a block with codes of its own, whose lengths come in 4 bits each.
  Bits& own_codes(std::vector<unsigned> literals, const std::vector<unsigned>& distances) {
    own_sizes(literals.size(), distances.size(), 19).number(0, 9);
    for (int i = 0; i < 16; ++i) number(4, 3);
    literals.insert(literals.end(), distances.begin(), distances.end());
    for (const unsigned length : literals) code(length, 4);
    return *this;
  }
  Bits& own_sizes(std::size_t literals, std::size_t distances, std::size_t lengths) {
    number(1, 1).number(2, 2);
    return number(literals - 257, 5).number(distances - 1, 5).number(lengths - 4, 4);
  }

  operator const std::string&() const { return bytes_; }

 private:
  void bit(std::size_t bit) {
    if (filled_ == 0) bytes_.push_back('\0');
    bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) | bit << filled_);
    filled_ = (filled_ + 1) % 8;
  }

  std::string bytes_;
  unsigned filled_ = 0;
};

// Lengths of codes: `size` symbols without one but those named.
std::vector<unsigned> lengths(std::size_t size,
                              std::initializer_list<std::pair<std::size_t, unsigned>> some) {
  std::vector<unsigned> lengths(size, 0);
  for (const auto& [symbol, length] : some) lengths[symbol] = length;
  return lengths;
}

// Also where so much follows that the fast loop meets the damage.
void expect_refused(const std::string& packed, const char* why) {
  for (const std::size_t follow : {0U, 100U}) {
    const std::string data = packed + std::string(follow, '\0');
    EXPECT_FALSE(by_zlib(data)) << why;
    for (const std::size_t piece : {1U, 1000U}) EXPECT_FALSE(inflated(data, piece).used) << why;
  }
}

void expect_sound(const std::string& packed, std::string_view plain, const char* what) {
  for (const std::size_t follow : {0U, 100U}) {
    const std::string data = packed + std::string(follow, '\xff');
    EXPECT_EQ(by_zlib(data), plain) << what;
    for (const std::size_t piece : {1U, 100'000U}) {
      const Inflated got = inflated(data, piece);
      EXPECT_EQ(got.used, packed.size()) << what;
      EXPECT_TRUE(got.bytes == plain) << what;
    }
  }
}

TEST(InflaterOnBits, CopiesMatchesOfEveryDistanceAndLength) {
  std::string literals(40, ' ');
  std::iota(literals.begin(), literals.end(), 'A');
  for (std::size_t distance = 1; distance <= literals.size(); ++distance) {
    for (const std::size_t length : {3U, 4U, 5U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 32U, 33U, 258U}) {
      Bits bits;
      bits.fixed_block().fixed(literals).fixed_match(length, distance).fixed(literals).fixed_end();
      std::string plain = literals;
      for (std::size_t i = 0; i < length; ++i) plain.push_back(plain[plain.size() - distance]);
      expect_sound(bits, plain + literals, "a match");
    }
  }
}

TEST(InflaterOnBits, ReachesBackToTheBeginningAndNotBeyond) {
  const std::string plain = mixed(32'768, 21);
  expect_sound(Bits().fixed_block().fixed(plain).fixed_match(10, 32'768).fixed_end(),
               plain + plain.substr(0, 10), "the largest distance");
  expect_refused(Bits().fixed_block().fixed(plain.substr(1)).fixed_match(10, 32'768).fixed_end(),
                 "a byte too far");
  expect_refused(Bits().fixed_block().fixed_match(3, 1).fixed_end(), "nothing to repeat");
  expect_refused(Bits().fixed_block().fixed("abcd").fixed_match(3, 5).fixed_end(), "too far");
}

TEST(InflaterOnBits, CopiesStoredBlocks) {
  const std::string large = mixed(65'535, 22);
  expect_sound(Bits().stored(""), "", "nothing");
  Bits bits;
  std::string plain;
  for (int i = 0; i < 6; ++i) {
    bits.stored("", false).stored(large, false).stored("x", false);
    plain += large + "x";
  }
  expect_sound(bits.fixed_block().fixed_match(258, 32'768).fixed_end(),
               plain + plain.substr(plain.size() - 32'768, 258), "blocks and a match into them");
  expect_refused(Bits().number(1, 3).to_byte().number(5, 16).number(5, 16).number(0, 40),
                 "a length unlike its complement");
}

// The last code lies in the byte that the last literal ends in, whatever room the output has left.
TEST(InflaterOnBits, EndsWithinAByteWhereAPieceEnds) {
  const std::string literals(6, '\xff');
  for (std::size_t size = (256U << 10U) - 330; size < (256U << 10U) + 5; ++size) {
    Bits bits;
    std::string plain;
    while (plain.size() + literals.size() < size) {
      const std::string part(std::min<std::size_t>(65'535, size - literals.size() - plain.size()),
                             'x');
      bits.stored(part, false);
      plain += part;
    }
    const std::string packed = bits.fixed_block().fixed(literals).fixed_end();
    const Inflated got = inflated(packed);
    ASSERT_EQ(got.used, packed.size()) << size;
    ASSERT_TRUE(got.bytes == plain + literals) << size;
  }
}

TEST(InflaterOnBits, RefusesBlocksAndSymbolsThereAreNot) {
  expect_refused(Bits().number(1, 1).number(3, 2).number(0, 60), "a block of type 3");
  for (const unsigned symbol : {286U, 287U}) {
    expect_refused(Bits().fixed_block().fixed("ab").fixed(symbol).code(0, 5).fixed_end(), "length");
  }
  for (const unsigned symbol : {30U, 31U}) {
    expect_refused(Bits().fixed_block().fixed("ab").fixed(257).code(symbol, 5).fixed_end(),
                   "distance");
  }
}

TEST(InflaterOnBits, RefusesLengthsOfCodesThatMakeNoSense) {
  expect_refused(Bits().own_sizes(287, 1, 4).number(0, 60), "287 literals and lengths");
  expect_refused(Bits().own_sizes(257, 31, 4).number(0, 60), "31 distances");
  // The lengths of codes 16, 17, 18 and 0 are the first.
  const auto begun = [] { return Bits().own_sizes(257, 1, 4); };
  expect_refused(begun().number(0, 12).number(0, 400), "no code for lengths");
  expect_refused(begun().number(1, 3).number(0, 9).number(0, 400), "one code for lengths");
  expect_refused(begun().number(0x49, 9).number(0, 400), "too many codes for lengths");
  expect_refused(begun().number(1, 3).number(0, 6).number(1, 3).code(1, 1).number(0, 400),
                 "nothing to repeat");
  // 138 zeros each time.
  Bits zeros = begun().number(0, 6).number(1, 3).number(1, 3);
  expect_refused(zeros.code(1, 1).number(127, 7).code(1, 1).number(127, 7), "too many repeated");
}

TEST(InflaterOnBits, RefusesCodesThatMakeNoSense) {
  const auto end = lengths(257, {{'a', 1}, {256, 1}});
  const auto refused = [](const auto& literals, const auto& distances, const char* why) {
    expect_refused(Bits().own_codes(literals, distances).code(1, 1), why);
  };
  refused(lengths(257, {{'a', 1}, {'b', 1}}), lengths(1, {}), "no end of block");
  refused(lengths(257, {{'a', 1}, {'b', 1}, {256, 1}}), lengths(1, {}), "too many literals");
  refused(lengths(257, {{'a', 1}, {256, 2}}), lengths(1, {}), "literals left over");
  refused(lengths(257, {{256, 2}}), lengths(1, {}), "one literal of two bits");
  refused(end, lengths(3, {{0, 1}, {1, 1}, {2, 1}}), "too many distances");
  refused(end, lengths(2, {{0, 1}, {1, 2}}), "distances left over");
  refused(end, lengths(1, {{0, 2}}), "one distance of two bits");
}

TEST(InflaterOnBits, TakesCodesOfOneBitOrNone) {
  const auto only_end = lengths(257, {{256, 1}});
  expect_sound(Bits().own_codes(only_end, lengths(1, {})).code(0, 1), "", "only an end");
  expect_refused(Bits().own_codes(only_end, lengths(1, {})).code(1, 1), "no such literal");

  const auto some = lengths(258, {{'a', 1}, {256, 2}, {257, 2}});
  const auto one = lengths(1, {{0, 1}});
  expect_sound(Bits().own_codes(some, one).code(0, 1).code(6, 3).code(2, 2), "aaaa",
               "one distance");
  expect_refused(Bits().own_codes(some, one).code(0, 1).code(7, 3).code(2, 2), "no such distance");
  expect_refused(Bits().own_codes(some, lengths(1, {})).code(0, 1).code(6, 3).code(2, 2),
                 "no distances");
}

}  // namespace
}  // namespace topsctl

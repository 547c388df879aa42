// The tables by which deflate data (RFC 1951) is decoded: from the next bits to a symbol.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace topsctl {

// What the next bits mean, from the lowest bit on: 8 bits for how many bits it takes in all, 4 for
// how many of them the code is, 4 flags, and a value of 16: a literal, or the number that the extra
// bits are added to, or where a subtable begins. For a subtable the two sizes are those of the main
// table's index and of its own.
using DecodeEntry = std::uint32_t;

constexpr DecodeEntry entry_literal = 1U << 15U;
constexpr DecodeEntry entry_special = 1U << 14U;  // one of the two below, or no symbol at all
constexpr DecodeEntry entry_subtable = 1U << 13U;
constexpr DecodeEntry entry_block_end = 1U << 12U;

constexpr unsigned bits_in_all(DecodeEntry entry) {
  return entry & 0xFFU;
}
constexpr unsigned code_bits(DecodeEntry entry) {
  return entry >> 8U & 0xFU;
}
constexpr unsigned value_of(DecodeEntry entry) {
  return entry >> 16U;
}
// The value with the extra bits added; `bits` begin with the code.
constexpr std::size_t number_of(DecodeEntry entry, std::uint64_t bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits_in_all(entry)) - 1;
  return value_of(entry) + ((bits & mask) >> code_bits(entry));
}

constexpr unsigned most_code_bits = 15;

// A table of 2^main_bits entries and as many subtables as a code of so many symbols can need: a
// subtable holds two symbols or more.
template <unsigned symbols, unsigned index_bits, unsigned longest = most_code_bits>
struct DecodeTable {
  static constexpr unsigned main_bits = index_bits;
  static constexpr std::size_t subtables = longest > main_bits ? symbols / 2 : 0;
  static constexpr std::size_t size =
      (std::size_t{1} << main_bits) + (subtables << (longest - main_bits));

  DecodeEntry first(std::uint64_t bits) const {
    return entries[bits & ((std::uint64_t{1} << main_bits) - 1)];
  }
  DecodeEntry second(DecodeEntry subtable, std::uint64_t bits) const {
    const std::uint64_t mask = (std::uint64_t{1} << code_bits(subtable)) - 1;
    return entries[value_of(subtable) + (bits >> main_bits & mask)];
  }
  DecodeEntry find(std::uint64_t bits) const {
    const DecodeEntry entry = first(bits);
    return (entry & entry_subtable) != 0 ? second(entry, bits) : entry;
  }

  std::array<DecodeEntry, size> entries;
};

constexpr unsigned length_symbols = 19;
constexpr unsigned literal_symbols = 288;
constexpr unsigned distance_symbols = 32;
constexpr unsigned block_end_symbol = 256;

// The code in which the lengths of the other two come. Lengths are literals, repetitions of zero
// are numbers, and so is the repetition of the length before, which is special as well.
using LengthTable = DecodeTable<length_symbols, 7, 7>;

struct BlockTables {
  DecodeTable<literal_symbols, 11> literals;
  DecodeTable<distance_symbols, 8> distances;
};

// Each builds a table from the lengths of the symbols' codes, 0 for those not in use, and says
// whether they make sense. Only one code of one bit, or none, may leave bits without a meaning.
bool build_table(LengthTable& table, std::span<const std::uint8_t> lengths);
bool build_tables(BlockTables& tables, std::span<const std::uint8_t> literal_lengths,
                  std::span<const std::uint8_t> distance_lengths);

// Those of blocks without codes of their own.
const BlockTables& fixed_tables();

}  // namespace topsctl

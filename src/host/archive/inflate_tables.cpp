// Builds the decoding tables of deflate data.
#include "host/archive/inflate_tables.hpp"

#include <algorithm>
#include <bit>

namespace topsctl {

namespace {

constexpr DecodeEntry entry_of(unsigned value, unsigned extra_bits, DecodeEntry flags = 0) {
  return value << 16U | flags | extra_bits;
}

constexpr DecodeEntry no_symbol = entry_of(0, 0, entry_special);

// The entries of all symbols, yet without the bits of their codes.
constexpr auto length_entries = [] {
  std::array<DecodeEntry, length_symbols> entries{};
  for (unsigned length = 0; length < 16; ++length) {
    entries[length] = entry_of(length, 0, entry_literal);
  }
  entries[16] = entry_of(3, 2, entry_special);
  entries[17] = entry_of(3, 3);
  entries[18] = entry_of(11, 7);
  return entries;
}();

constexpr auto literal_entries = [] {
  constexpr unsigned first_length_symbol = 257;
  constexpr unsigned longest_match = 258;
  std::array<DecodeEntry, literal_symbols> entries{};
  entries.fill(no_symbol);
  for (unsigned literal = 0; literal < 256; ++literal) {
    entries[literal] = entry_of(literal, 0, entry_literal);
  }
  entries[block_end_symbol] = entry_of(0, 0, entry_special | entry_block_end);
  unsigned base = 3;
  for (unsigned i = 0; i < 28; ++i) {
    const unsigned extra_bits = i < 8 ? 0 : i / 4 - 1;
    entries[first_length_symbol + i] = entry_of(base, extra_bits);
    base += 1U << extra_bits;
  }
  entries[first_length_symbol + 28] = entry_of(longest_match, 0);
  return entries;
}();

constexpr auto distance_entries = [] {
  std::array<DecodeEntry, distance_symbols> entries{};
  entries.fill(no_symbol);
  unsigned base = 1;
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned extra_bits = i < 4 ? 0 : i / 2 - 1;
    entries[i] = entry_of(base, extra_bits);
    base += 1U << extra_bits;
  }
  return entries;
}();

// The symbols of a code in the order of their codes.
class Code {
 public:
  explicit Code(std::span<const std::uint8_t> lengths) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<std::uint16_t, most_code_bits + 2> begin{};
    for (unsigned i = 1; i <= most_code_bits; ++i) {
      begin[i + 1] = static_cast<std::uint16_t>(begin[i] + counts_[i]);
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] == 0) continue;
      sorted_[begin[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
  }

  unsigned count(unsigned length) const { return counts_[length]; }
  const std::uint16_t* symbols() const { return sorted_.data(); }

  // How many codes of the most bits are left without a symbol; less than none if there are too few.
  int unused() const {
    int unused = 1;
    for (unsigned i = 1; i <= most_code_bits; ++i) unused = 2 * unused - counts_[i];
    return unused;
  }
  bool is_one_bit_or_none() const {
    return counts_[1] <= 1 && std::all_of(counts_.begin() + 2, counts_.end(),
                                          [](std::uint16_t count) { return count == 0; });
  }

 private:
  std::array<std::uint16_t, most_code_bits + 1> counts_{};
  std::array<std::uint16_t, literal_symbols> sorted_;
};

// The next code of that length; they lie in the data, and so here, with their first bit lowest.
constexpr unsigned next_code(unsigned code, unsigned length) {
  const unsigned all = (1U << length) - 1;
  const unsigned highest_zero = std::bit_floor(code ^ all);
  return (code & (highest_zero - 1)) | highest_zero;
}
static_assert(next_code(0b011, 3) == 0b111 && next_code(0b101, 3) == 0b011);

constexpr DecodeEntry with_code(DecodeEntry entry, unsigned length) {
  return entry + (length << 8U | length);
}

class Filler {
 public:
  Filler(const Code& code, std::span<const DecodeEntry> symbols, unsigned main_bits,
         DecodeEntry* table)
      : code_(code),
        next_symbol_(code.symbols()),
        entries_(symbols),
        main_bits_(main_bits),
        table_(table) {}

  void fill() {
    fill_main();
    fill_subtables();
  }

 private:
  DecodeEntry next_entry(unsigned length) { return with_code(entries_[*next_symbol_++], length); }

  // Doubles the table from length to length, which repeats what shorter codes were given.
  void fill_main() {
    table_[0] = no_symbol;
    for (unsigned length = 1; length <= main_bits_; ++length) {
      const std::size_t half = std::size_t{1} << (length - 1);
      std::copy_n(table_, half, table_ + half);
      for (unsigned i = code_.count(length); i > 0; --i) {
        table_[bits_] = next_entry(length);
        bits_ = next_code(bits_, length);
      }
    }
  }

  void fill_subtables() {
    const unsigned main_size = 1U << main_bits_;
    unsigned begin = main_size;
    unsigned width = 0;
    unsigned prefix = main_size;
    for (unsigned length = main_bits_ + 1; length <= most_code_bits; ++length) {
      for (unsigned left = code_.count(length); left > 0; --left) {
        if (prefix != (bits_ & (main_size - 1))) {
          prefix = bits_ & (main_size - 1);
          begin += width == 0 ? 0 : 1U << width;
          width = subtable_width(length, left);
          table_[prefix] = begin << 16U | entry_special | entry_subtable | width << 8U | main_bits_;
        }
        const DecodeEntry entry = next_entry(length);
        for (unsigned i = bits_ >> main_bits_; i < 1U << width; i += 1U << (length - main_bits_)) {
          table_[begin + i] = entry;
        }
        bits_ = next_code(bits_, length);
      }
    }
  }

  // Enough index bits for all codes that begin alike, of which the first has `length` bits; `left`
  // more, with it, are that long.
  unsigned subtable_width(unsigned length, unsigned left) const {
    unsigned free = 1U << (length - main_bits_);
    while (left < free && length < most_code_bits) {
      free = 2 * (free - left);
      left = code_.count(++length);
    }
    return length - main_bits_;
  }

  const Code& code_;
  const std::uint16_t* next_symbol_;
  std::span<const DecodeEntry> entries_;
  unsigned main_bits_;
  DecodeEntry* table_;
  unsigned bits_ = 0;
};

template <typename Table>
bool build(Table& table, std::span<const std::uint8_t> lengths,
           std::span<const DecodeEntry> symbols, bool may_be_incomplete) {
  const Code code(lengths);
  const int unused = code.unused();
  if (unused < 0) return false;
  if (unused > 0 && !(may_be_incomplete && code.is_one_bit_or_none())) return false;
  Filler(code, symbols, Table::main_bits, table.entries.data()).fill();
  return true;
}

BlockTables made_fixed_tables() {
  std::array<std::uint8_t, literal_symbols> literals{};
  for (std::size_t i = 0; i < literals.size(); ++i) {
    literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  }
  std::array<std::uint8_t, distance_symbols> distances{};
  distances.fill(5);
  BlockTables tables;
  build_tables(tables, literals, distances);
  return tables;
}

}  // namespace

bool build_table(LengthTable& table, std::span<const std::uint8_t> lengths) {
  return build(table, lengths, length_entries, false);
}

bool build_tables(BlockTables& tables, std::span<const std::uint8_t> literal_lengths,
                  std::span<const std::uint8_t> distance_lengths) {
  return build(tables.literals, literal_lengths, literal_entries, true) &&
         build(tables.distances, distance_lengths, distance_entries, true);
}

const BlockTables& fixed_tables() {
  static const BlockTables tables = made_fixed_tables();
  return tables;
}

}  // namespace topsctl

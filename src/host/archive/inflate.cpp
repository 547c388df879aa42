// Decodes raw deflate data: most of it in a loop that needs room around it, the rest bit by bit.
#include "host/archive/inflate.hpp"

#include <array>
#include <cstring>

#include "host/archive/inflate_ends.hpp"
#include "host/archive/inflate_tables.hpp"

namespace topsctl {

namespace {

using Byte = std::uint8_t;

constexpr std::size_t word_size = sizeof(std::uint64_t);

// The two may overlap.
void copy_word(Byte* to, const Byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, word_size);
  std::memcpy(to, &word, word_size);
}

// Writes up to 16 bytes too many.
inline Byte* copy_match(Byte* to, std::size_t distance, std::size_t length) {
  Byte* const end = to + length;
  const Byte* from = to - distance;
  if (distance >= word_size) [[likely]] {
    copy_word(to, from);
    copy_word(to + word_size, from + word_size);
    while (end - to > 16) {
      to += 16;
      from += 16;
      copy_word(to, from);
      copy_word(to + word_size, from + word_size);
    }
  } else if (distance == 1) {
    std::memset(to, *from, 16);
    if (length > 16) std::memset(to + 16, *from, length - 16);
  } else {
    // Each copy doubles what may be copied from the same place.
    for (; to - from < static_cast<std::ptrdiff_t>(word_size); to += to - from) {
      copy_word(to, from);
    }
    for (; to < end; to += word_size, from += word_size) copy_word(to, from);
  }
  return end;
}

// Decodes symbols while there is input and room for a round. A copy of what it works on, as only
// such stays in registers.
class FastLoop {
 public:
  FastLoop(const BlockTables& tables, const DeflateInput& input, const DeflateOutput& output)
      : literals_(tables.literals),
        distances_(tables.distances),
        last_in_(input.last_for_round()),
        last_out_(output.last_for_round()),
        oldest_(output.oldest()),
        in_(input.next()),
        out_(output.next()),
        bits_(input.bits()) {}

  // Whether the block ended.
  bool run() {
    bits_.fill(in_);
    peek();
    while (in_ <= last_in_ && out_ <= last_out_) {
      // The bits are enough for three codes of the main table, or two and the longest of a length.
      if (put_literal() && put_literal() && put_literal()) {
        bits_.fill(in_);
        continue;
      }
      if (is(entry_special)) [[unlikely]] {
        if (is(entry_subtable)) entry_ = literals_.second(entry_, bits_.held);
        if (put_literal()) {
          bits_.fill(in_);
          continue;
        }
        if (is(entry_special)) return end_block();
      }
      copy();
    }
    return false;
  }
  void end(DeflateInput& input, DeflateOutput& output) const {
    input.go_on(in_, bits_);
    output.go_on(out_);
  }

 private:
  bool is(DecodeEntry flag) const { return (entry_ & flag) != 0; }
  void peek() { entry_ = literals_.first(bits_.held); }

  bool put_literal() {
    if (!is(entry_literal)) return false;
    bits_.skip(bits_in_all(entry_));
    *out_++ = static_cast<Byte>(value_of(entry_));
    peek();
    return true;
  }
  bool end_block() {
    if (!is(entry_block_end)) throw DeflateDamage{};
    bits_.skip(bits_in_all(entry_));
    return true;
  }
  std::size_t take_number() {
    const std::size_t number = number_of(entry_, bits_.held);
    bits_.skip(bits_in_all(entry_));
    return number;
  }
  void copy() {
    const std::size_t length = take_number();
    bits_.fill(in_);
    entry_ = distances_.find(bits_.held);
    if (is(entry_special)) [[unlikely]]
      throw DeflateDamage{};
    const std::size_t distance = take_number();
    if (distance > static_cast<std::size_t>(out_ - oldest_)) [[unlikely]]
      throw DeflateDamage{};
    // Looked up first: it takes a while, in which the rest is done.
    peek();
    bits_.fill(in_);
    out_ = copy_match(out_, distance, length);
  }

  const decltype(BlockTables::literals)& literals_;
  const decltype(BlockTables::distances)& distances_;
  const Byte* const last_in_;
  const Byte* const last_out_;
  const Byte* const oldest_;
  const Byte* in_;
  Byte* out_;
  DeflateBits bits_;
  DecodeEntry entry_ = 0;
};

bool decode_fast(const BlockTables& tables, DeflateInput& input, DeflateOutput& output) {
  FastLoop loop(tables, input, output);
  const bool block_ended = loop.run();
  loop.end(input, output);
  return block_ended;
}

// Decodes one symbol, with its distance if it has one; whether it was the block's end.
bool decode_one(const BlockTables& tables, DeflateInput& input, DeflateOutput& output) {
  std::size_t length = 0;
  const DecodeEntry entry = input.take_symbol(tables.literals, length);
  if ((entry & entry_literal) != 0) {
    output.put(static_cast<Byte>(length));
    return false;
  }
  if ((entry & entry_special) != 0) {
    if ((entry & entry_block_end) == 0) throw DeflateDamage{};
    return true;
  }
  std::size_t distance = 0;
  if ((input.take_symbol(tables.distances, distance) & entry_special) != 0) throw DeflateDamage{};
  output.repeat(distance, length);
  return false;
}

void decode_symbols(const BlockTables& tables, DeflateInput& input, DeflateOutput& output) {
  bool ended = false;
  while (!ended) {
    output.make_room();
    ended =
        input.has_round() ? decode_fast(tables, input, output) : decode_one(tables, input, output);
  }
}

void copy_stored(DeflateInput& input, DeflateOutput& output) {
  input.skip_to_byte();
  std::size_t left = input.take(16);
  if (input.take(16) != (left ^ 0xFFFFU)) throw DeflateDamage{};
  while (left > 0) {
    const std::span<const Byte> bytes = input.take_bytes(std::min(left, output.make_room()));
    output.put(bytes);
    left -= bytes.size();
  }
}

// The lengths of a block's codes, as many as `lengths` holds, written in a code of their own.
void read_lengths(const LengthTable& table, DeflateInput& input, std::span<std::uint8_t> lengths) {
  for (std::size_t done = 0; done < lengths.size();) {
    std::size_t number = 0;
    const DecodeEntry entry = input.take_symbol(table, number);
    if ((entry & entry_literal) != 0) {
      lengths[done++] = static_cast<std::uint8_t>(number);
      continue;
    }
    const bool repeats_last = (entry & entry_special) != 0;
    if (number > lengths.size() - done || (repeats_last && done == 0)) throw DeflateDamage{};
    const std::uint8_t length = repeats_last ? lengths[done - 1] : std::uint8_t{0};
    std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(done), number, length);
    done += number;
  }
}

// Reads the codes at the beginning of a block.
void read_tables(DeflateInput& input, BlockTables& tables) {
  constexpr std::size_t most_literals = 286;
  constexpr std::size_t most_distances = 30;
  constexpr std::array<std::uint8_t, length_symbols> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = 257 + input.take(5);
  const std::size_t distances = 1 + input.take(5);
  const std::size_t given = 4 + input.take(4);
  if (literals > most_literals || distances > most_distances) throw DeflateDamage{};

  std::array<std::uint8_t, length_symbols> length_lengths{};
  for (std::size_t i = 0; i < given; ++i) {
    length_lengths[order[i]] = static_cast<std::uint8_t>(input.take(3));
  }
  LengthTable length_table;
  if (!build_table(length_table, length_lengths)) throw DeflateDamage{};

  std::array<std::uint8_t, most_literals + most_distances> buffer;
  const std::span<std::uint8_t> lengths(buffer.data(), literals + distances);
  read_lengths(length_table, input, lengths);
  if (lengths[block_end_symbol] == 0 ||
      !build_tables(tables, lengths.first(literals), lengths.subspan(literals))) {
    throw DeflateDamage{};
  }
}

}  // namespace

struct Inflater::State {
  void decode(DeflateInput& in, DeflateOutput& out) {
    bool is_last = false;
    while (!is_last) {
      is_last = in.take(1) != 0;
      switch (in.take(2)) {
        case 0:
          copy_stored(in, out);
          break;
        case 1:
          decode_symbols(fixed_tables(), in, out);
          break;
        case 2:
          read_tables(in, tables);
          decode_symbols(tables, in, out);
          break;
        default:
          throw DeflateDamage{};
      }
    }
  }

  BlockTables tables;
  std::array<Byte, DeflateInput::size> input;
  std::array<Byte, DeflateOutput::size> output;
};

// The state is left as it comes: it is written before it is read, and most streams are small.
Inflater::Inflater() : state_(std::make_unique_for_overwrite<State>()) {}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

std::optional<std::uint64_t> Inflater::run(const More& more, const Take& take) {
  DeflateInput input(more, state_->input.data());
  DeflateOutput output(take, state_->output.data());
  try {
    state_->decode(input, output);
  } catch (const DeflateDamage&) {
    return std::nullopt;
  }
  output.flush();
  return input.used();
}

}  // namespace topsctl

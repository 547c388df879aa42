// The two ends of decompression: compressed bits that come in, and bytes that go out and are kept
// for as long as matches may reach them. What is in a header is here for the speed of the loops.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "host/archive/inflate.hpp"
#include "host/archive/inflate_tables.hpp"

namespace topsctl {

static_assert(std::endian::native == std::endian::little);

// That the data is damaged, or ends too early.
struct DeflateDamage {};

// Some bits of the data that come next. In the fast loop those above `count` may be set already, to
// what they will be.
struct DeflateBits {
  // At least 56; reads 8 bytes and moves on by those that fitted.
  void fill(const std::uint8_t*& next) {
    std::uint64_t word;
    std::memcpy(&word, next, sizeof(word));
    held |= word << count;
    next += (63U - count) / 8;
    count |= 56U;
  }
  void skip(unsigned taken) {
    held >>= taken;
    count -= taken;
  }

  std::uint64_t held = 0;
  unsigned count = 0;
};

// The data, of which it takes no byte before it must.
class DeflateInput {
 public:
  static constexpr std::size_t size = 64U << 10U;
  // What a round of the fast loop may read, and its start before the first.
  static constexpr std::ptrdiff_t round_size = 16;
  static constexpr std::ptrdiff_t start_size = 8;

  DeflateInput(const Inflater::More& more, std::uint8_t* buffer)
      : more_(more), buffer_(buffer), next_(buffer), end_(buffer) {}

  unsigned take(unsigned count) {
    while (bits_.count < count) pull();
    const std::uint64_t taken = bits_.held & ((std::uint64_t{1} << count) - 1);
    bits_.skip(count);
    return static_cast<unsigned>(taken);
  }
  // The number that the next symbol stands for, if it does, is put into `number`.
  template <typename Table>
  DecodeEntry take_symbol(const Table& table, std::size_t& number) {
    DecodeEntry entry = table.find(bits_.held);
    while (bits_in_all(entry) > bits_.count) {
      pull();
      entry = table.find(bits_.held);
    }
    number = number_of(entry, bits_.held);
    bits_.skip(bits_in_all(entry));
    return entry;
  }
  void skip_to_byte() { bits_.skip(bits_.count % 8); }

  // Up to `most` bytes, at least one, where no bits are held.
  std::span<const std::uint8_t> take_bytes(std::size_t most) {
    if (next_ == end_) fetch();
    const std::size_t count = std::min(most, static_cast<std::size_t>(end_ - next_));
    next_ += count;
    return {next_ - count, count};
  }

  // Whether the fast loop can fill its bits and go round once.
  bool has_round() const { return end_ - next_ >= start_size + round_size; }
  const std::uint8_t* next() const { return next_; }
  const std::uint8_t* last_for_round() const { return end_ - round_size; }
  DeflateBits bits() const { return bits_; }
  // Goes on where the fast loop ended, which took too many bytes.
  void go_on(const std::uint8_t* next, DeflateBits bits) {
    next_ = next - bits.count / 8;
    bits.count %= 8;
    bits.held &= (1U << bits.count) - 1;
    bits_ = bits;
  }

  std::uint64_t used() const { return given_ - static_cast<std::uint64_t>(end_ - next_); }

 private:
  void pull() {
    if (next_ == end_) fetch();
    bits_.held |= std::uint64_t{*next_++} << bits_.count;
    bits_.count += 8;
  }
  void fetch() {
    const std::size_t got = more_(reinterpret_cast<char*>(buffer_), size);
    if (got == 0) throw DeflateDamage{};
    given_ += got;
    next_ = buffer_;
    end_ = buffer_ + got;
  }

  const Inflater::More& more_;
  std::uint8_t* buffer_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  DeflateBits bits_;
  std::uint64_t given_ = 0;
};

// What was made: up to 32 KiB that matches may still reach, then the piece that grows.
class DeflateOutput {
 public:
  static constexpr std::size_t history_size = 32U << 10U;
  static constexpr std::size_t size = history_size + (256U << 10U);
  // What a round of either loop may write, some bytes too many among them.
  static constexpr std::size_t round_size = 320;

  DeflateOutput(const Inflater::Take& take, std::uint8_t* buffer)
      : take_(take),
        buffer_(buffer),
        oldest_(buffer + history_size),
        piece_(buffer + history_size),
        next_(piece_) {}

  // Room for a round, and how much there is of it.
  std::size_t make_room() {
    if (next_ > last_for_round()) {
      flush();
      std::memmove(buffer_, next_ - history_size, history_size);
      oldest_ = buffer_;
      piece_ = next_ = buffer_ + history_size;
    }
    return static_cast<std::size_t>(buffer_ + size - next_);
  }
  void flush() {
    if (next_ == piece_) return;
    take_({reinterpret_cast<const char*>(piece_), static_cast<std::size_t>(next_ - piece_)});
    piece_ = next_;
  }

  void put(std::span<const std::uint8_t> bytes) {
    next_ = std::copy(bytes.begin(), bytes.end(), next_);
  }
  void put(std::uint8_t byte) { *next_++ = byte; }
  void repeat(std::size_t distance, std::size_t length) {
    if (distance > static_cast<std::size_t>(next_ - oldest_)) throw DeflateDamage{};
    for (; length > 0; --length, ++next_) *next_ = *(next_ - distance);
  }

  const std::uint8_t* oldest() const { return oldest_; }
  const std::uint8_t* last_for_round() const { return buffer_ + size - round_size; }
  std::uint8_t* next() const { return next_; }
  void go_on(std::uint8_t* next) { next_ = next; }

 private:
  const Inflater::Take& take_;
  std::uint8_t* buffer_;
  const std::uint8_t* oldest_;
  std::uint8_t* piece_;
  std::uint8_t* next_;
};

}  // namespace topsctl

// Feeds raw deflate data to the decoder and to zlib, which must agree on what is sound, on what it
// says and on where it ends.
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <string>

#include "host/archive/inflate.hpp"
#include "pieces.hpp"

namespace {

using namespace topsctl;

constexpr std::size_t most_output = 1U << 20U;

struct TooMuch {};

struct Outcome {
  std::string bytes;  // of much output only the beginning
  bool is_much = false;
  std::optional<std::uint64_t> used;
};

Outcome by_zlib(std::string_view packed) {
  static std::string buffer(most_output, '\0');
  z_stream stream{};
  fuzz::expect(inflateInit2(&stream, -15) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  Outcome outcome;
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (outcome.bytes.empty()) outcome.bytes = buffer.substr(0, buffer.size() - stream.avail_out);
    outcome.is_much = outcome.is_much || stream.total_out > most_output;
  }
  if (status == Z_STREAM_END) outcome.used = packed.size() - stream.avail_in;
  inflateEnd(&stream);
  return outcome;
}

// With an end where there is much output; then nothing is known about what was used.
Outcome by_inflater(std::string_view packed, unsigned shape) {
  static Inflater inflater;
  fuzz::Pieces pieces(packed, shape);
  std::string_view piece;
  const auto more = [&](char* to, std::size_t room) {
    if (piece.empty()) piece = pieces.piece();
    const std::size_t size = piece.copy(to, room);
    piece.remove_prefix(size);
    return size;
  };
  Outcome outcome;
  const auto take = [&](std::string_view bytes) {
    fuzz::expect(!bytes.empty() && bytes.size() <= 256U << 10U);
    outcome.bytes += bytes;
    if (outcome.bytes.size() > most_output) throw TooMuch{};
  };
  try {
    outcome.used = inflater.run(more, take);
  } catch (const TooMuch&) {
    outcome.is_much = true;
    outcome.bytes.resize(most_output);
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view packed = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(packed);
  const Outcome expected = by_zlib(packed);
  const Outcome got = by_inflater(packed, shape);
  if (got.is_much) {
    fuzz::expect(expected.is_much && got.bytes == expected.bytes);
    return 0;
  }
  fuzz::expect(got.used == expected.used);
  // Of what is damaged less may have been given out.
  fuzz::expect(got.used ? got.bytes == expected.bytes : expected.bytes.starts_with(got.bytes));
  return 0;
}

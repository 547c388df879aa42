// Decompression of gzip data: whole, in pieces, cut short and damaged.
#include "topsctl/host/gzip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "../support/programs.hpp"
#include "../support/thrown.hpp"

namespace topsctl {
namespace {

std::string gzipped(const std::string& bytes) {
  return run_program({"gzip", "-n", "-c"}, bytes).output;
}

// Feeds the data in pieces of `in` bytes and takes it in pieces of `out`; nothing if it does not
// end where a member ends.
std::optional<std::string> decoded(const std::string& data, std::size_t in = 1U << 16U,
                                   std::size_t out = 1U << 16U) {
  GzipDecoder decoder;
  std::string result;
  std::string buffer(out, '\0');
  for (std::size_t at = 0; at < data.size();) {
    if (decoder.needs_input()) {
      const std::size_t size = std::min(in, data.size() - at);
      decoder.give(std::string_view(data).substr(at, size));
      at += size;
    }
    while (!decoder.needs_input()) result += decoder.take(buffer);
  }
  return decoder.is_complete() ? std::optional(result) : std::nullopt;
}

std::string sample() {
  std::string bytes(300'000, '\0');
  for (unsigned i = 0, x = 1; i < 20'000; ++i) bytes += static_cast<char>((x = x * 75 + 74) >> 7U);
  return bytes;
}

TEST(GzipData, IsDecodedWhateverTheSizeOfThePieces) {
  const std::string data = gzipped(sample());
  for (const std::size_t in : {1U, 7U, 4096U, 1U << 20U}) {
    for (const std::size_t out : {1U, 100U, 1U << 20U}) EXPECT_EQ(decoded(data, in, out), sample());
  }
}

TEST(GzipData, MayBeEmpty) {
  EXPECT_EQ(decoded(gzipped("")), "");
}

TEST(GzipData, MayHaveSeveralMembers) {
  EXPECT_EQ(decoded(gzipped("one ") + gzipped("") + gzipped("two"), 3), "one two");
}

TEST(GzipData, CutShortAnywhereIsNotComplete) {
  const std::string data = gzipped("a text that is long enough to be cut at many places");
  for (std::size_t length = 1; length < data.size(); ++length) {
    EXPECT_EQ(decoded(data.substr(0, length)), std::nullopt) << length;
  }
}

TEST(GzipData, DamagedInItsContentOrChecksumIsRefused) {
  const std::string text = "a text that is long enough to be damaged at many places";
  const std::string data = gzipped(text);
  for (std::size_t at = 10; at < data.size(); ++at) {
    std::string damaged = data;
    damaged[at] ^= 0x10;
    std::optional<ErrorCode> code;
    std::optional<std::string> result;
    try {
      result = decoded(damaged);
    } catch (const Error& error) {
      code = error.code();
    }
    // A few bits between the last block and the checksum mean nothing.
    EXPECT_TRUE(code == ErrorCode::bad_package || !result || *result == text) << at;
  }
}

TEST(GzipData, IsNotWhatHasAnotherBeginning) {
  EXPECT_EQ(thrown_by([] { decoded("PK\3\4 no gzip at all"); }).code(), ErrorCode::bad_package);
  EXPECT_EQ(thrown_by([] { decoded(gzipped("x") + "garbage after the end"); }).code(),
            ErrorCode::bad_package);
}

}  // namespace
}  // namespace topsctl

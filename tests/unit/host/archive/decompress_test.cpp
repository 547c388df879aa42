// Decompression against what the real programs make.
#include "topsctl/host/archive/decompress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <archive.h>
#include <archive_entry.h>

#include <thread>

#include "support/programs.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Text that compresses, but not to nothing.
const std::string& sample() {
  static const std::string text = [] {
    std::string made;
    for (unsigned i = 0, x = 1; i < 900'000; ++i) {
      made.push_back(static_cast<char>('a' + ((x = x * 1664525 + 1013904223) >> 29U)));
    }
    return made;
  }();
  return text;
}

std::string compressed(const std::string& program, const std::string& bytes) {
  return output_of({program, "-c"}, bytes);
}

std::string decoded(const std::string& bytes, const DecodeLimits& limits = {}) {
  const auto source = decompressed(text_source(bytes), compression_of(bytes), limits, "sample");
  return whole_text(*source, 1U << 30U, "sample");
}

class Compressions : public testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  const std::string bytes_ = compressed(GetParam().first, sample());
};

TEST_P(Compressions, AreKnownByTheirFirstBytes) {
  EXPECT_EQ(compression_of(bytes_.substr(0, 18)), GetParam().second);
}

TEST_P(Compressions, AreUndone) {
  EXPECT_TRUE(decoded(bytes_) == sample());
}

TEST_P(Compressions, OfNothingGiveNothing) {
  EXPECT_EQ(decoded(compressed(GetParam().first, "")), "");
}

TEST_P(Compressions, CutShortAnywhereAreRefused) {
  for (std::size_t part = 1; part < 20; ++part) {
    const std::string cut = bytes_.substr(0, 18 + (bytes_.size() - 18) * part / 20);
    const Error error = thrown_by([&] { decoded(cut); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_THAT(error.message(), HasSubstr("cannot read 'sample': ")) << part;
    EXPECT_FALSE(error.hint().empty());
  }
  thrown_by([&] { decoded(bytes_.substr(0, bytes_.size() - 1)); });
}

TEST_P(Compressions, WithAChangedByteAreRefused) {
  // The old lzma format has no checksum.
  if (GetParam().second == "lzma") return;
  for (std::size_t part = 2; part < 20; ++part) {
    std::string damaged = bytes_;
    damaged[bytes_.size() * part / 20] ^= 0x10;
    thrown_by([&] {
      if (decoded(damaged) == sample()) return;  // a bit that means nothing
      ADD_FAILURE() << "damage at " << part << " of 20 went unseen";
    });
  }
}

TEST_P(Compressions, OfSeveralStreamsInARowAreOne) {
  if (GetParam().second == "lzma") return;
  const std::string two = bytes_ + compressed(GetParam().first, "the end");
  EXPECT_TRUE(decoded(two) == sample() + "the end");
}

TEST_P(Compressions, MayBePaddedWithZerosButWithNothingElse) {
  EXPECT_TRUE(decoded(bytes_ + std::string(512, '\0')) == sample());
  thrown_by([&] { decoded(bytes_ + "garbage that is no stream"); });
}

TEST_P(Compressions, ThatGrowBeyondMeasureAreBombs) {
  if (GetParam().second == "bzip2" || GetParam().second == "lzma") return;  // slow to make
  // 64 MiB of zeros, made once and put in a row.
  const std::string zeros = compressed(GetParam().first, std::string(64U << 20U, '\0'));
  std::string bomb;
  for (int i = 0; i < 10; ++i) bomb += zeros;
  const auto source = decompressed(text_source(bomb), compression_of(bomb), {}, "bomb");
  const Error error = thrown_by([&] { drain(*source); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("decompression bomb: "));
}

INSTANTIATE_TEST_SUITE_P(Each, Compressions,
                         testing::Values(std::pair("gzip", "gzip"), std::pair("xz", "xz"),
                                         std::pair("zstd", "zstd"), std::pair("bzip2", "bzip2"),
                                         std::pair("lzma", "lzma"), std::pair("lz4", "lz4")),
                         [](const auto& info) { return info.param.first; });

// As compress(1) writes it, by libarchive.
std::string compress_data(const std::string& bytes) {
  std::string made;
  archive* writer = archive_write_new();
  archive_write_add_filter_compress(writer);
  archive_write_set_format_raw(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  const auto write = [](archive*, void* to, const void* from, std::size_t size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(from), size);
    return static_cast<la_ssize_t>(size);
  };
  archive_write_open(writer, &made, nullptr, write, nullptr);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(writer, entry);
  archive_write_data(writer, bytes.data(), bytes.size());
  archive_entry_free(entry);
  archive_write_close(writer);
  archive_write_free(writer);
  return made;
}

TEST(CompressData, IsKnownByItsFirstBytesAndUndone) {
  const std::string bytes = compress_data(sample());
  EXPECT_LT(bytes.size(), sample().size() * 3 / 4);
  EXPECT_EQ(compression_of(bytes.substr(0, 18)), "compress");
  EXPECT_TRUE(decoded(bytes) == sample());
}

TEST(CompressData, WithCodesThatCannotBeIsDamaged) {
  const Error error = thrown_by([&] { decoded("\x1f\x9d\x90" + std::string(100, '\xff')); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("cannot read 'sample': damaged compress data"));
}

// Each code stands for one zero more than the one before.
std::string compress_data_of_zeros(unsigned codes) {
  std::string made = "\x1f\x9d\x90";
  std::uint64_t bits = 0;
  unsigned held = 0;
  unsigned width = 9;
  unsigned in_group = 0;
  const auto put = [&](std::uint64_t code) {
    bits |= code << held;
    in_group = (in_group + 1) % 8;
    for (held += width; held >= 8; held -= 8, bits >>= 8U)
      made.push_back(static_cast<char>(bits & 0xffU));
  };
  for (unsigned i = 0; i < codes; ++i) {
    put(i == 0 ? 0 : 256 + i);
    if (257 + i <= (1U << width) - 1) continue;
    while (in_group != 0) put(0);
    ++width;
  }
  return made;
}

TEST(CompressData, ThatGrowsBeyondMeasureIsABomb) {
  EXPECT_EQ(decoded(compress_data_of_zeros(3000)), std::string(3000 * 3001 / 2, '\0'));
  const std::string bomb = compress_data_of_zeros(33'000);
  const auto source = decompressed(text_source(bomb), "compress", {}, "bomb");
  EXPECT_THAT(thrown_by([&] { drain(*source); }).message(), HasSubstr("decompression bomb: "));
}

TEST(CompressData, PassesOnWhatItsSourceThrows) {
  class Torn : public Source {
   public:
    std::string_view piece() override { throw Error(ErrorCode::interrupted, "stopped"); }
  };
  const auto source = decompressed(std::make_unique<Torn>(), "compress", {}, "sample");
  EXPECT_EQ(thrown_by([&] { drain(*source); }).code(), ErrorCode::interrupted);
}

std::string plain_of_base64(const std::string& text) {
  const auto source = decompressed(text_source(text), "base64", {}, "sample");
  return whole_text(*source, 1U << 30U, "sample");
}

TEST(Decompression, a_header_of_compress_that_is_cut_off_or_wrong_is_damaged) {
  for (const std::string bytes : {"\x1f\x9d", "\x1f\x9d\xff\xff\xff"}) {
    const auto source = decompressed(text_source(bytes), "compress", {}, "sample");
    EXPECT_EQ(thrown_by([&] { source->piece(); }).code(), ErrorCode::bad_package);
  }
}

TEST(Base64Data, IsUndoneAsTheProgramWritesIt) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3},
                                 std::size_t{57}, std::size_t{58}, std::size_t{600'000}}) {
    const std::string plain = sample().substr(0, size);
    EXPECT_TRUE(plain_of_base64(output_of({"base64"}, plain)) == plain) << size;
  }
  EXPECT_EQ(plain_of_base64("AP/+\r\n+/8=\n\n"), std::string("\0\xff\xfe\xfb\xff", 5));
}

TEST(Base64Data, ThatIsNoneIsDamaged) {
  for (const char* text :
       {"QUJD RA==", "QUJ-", "=UJD", "Q=JD", "QU=D", "QQ==QQ==", "QUI=QUJD", "Q==="})
    EXPECT_THAT(thrown_by([&] { plain_of_base64(text); }).message(), HasSubstr("damaged base64"))
        << text;
  for (const char* text : {"Q", "QU", "QUJ", "QUJDQ", "QU="})
    EXPECT_THAT(thrown_by([&] { plain_of_base64(text); }).message(),
                HasSubstr("truncated base64 data"))
        << text;
}

TEST(LzoData, IsNamed) {
  const std::string bytes("\x89LZO\0\r\n\x1a\n and so on", 19);
  EXPECT_EQ(compression_of(bytes), "lzo");
  EXPECT_EQ(thrown_by([&] { decoded(bytes); }).message(),
            "cannot read 'sample': it is compressed with lzo");
}

TEST(XzData, MayHavePaddingBetweenItsStreams) {
  const std::string one = compressed("xz", "one ");
  const std::string two = compressed("xz", "two");
  for (const std::size_t zeros : {4U, 8U, 512U}) {
    const std::string padding(zeros, '\0');
    EXPECT_EQ(decoded(one + padding + two + padding), "one two");
  }
}

TEST(XzData, IsPaddedInGroupsOfFour) {
  for (const std::string& text : {std::string("text"), std::string()}) {
    const std::string bytes = compressed("xz", text);
    EXPECT_EQ(decoded(bytes + std::string(8, '\0')), text);
    for (const std::size_t zeros : {1U, 2U, 3U, 5U, 4095U}) {
      const std::string padding(zeros, '\0');
      EXPECT_THAT(thrown_by([&] { decoded(bytes + padding); }).message(), HasSubstr("padding"));
      thrown_by([&] { decoded(bytes + padding + bytes); });
    }
  }
}

TEST(XzData, OfSeveralBlocksIsUndoneByThreads) {
  const std::string bytes = output_of({"xz", "-c", "-T2", "--block-size=100KiB"}, sample());
  for (const unsigned threads : {1U, 2U, 5U}) {
    DecodeLimits limits;
    limits.threads = threads;
    EXPECT_TRUE(decoded(bytes, limits) == sample()) << threads;
    for (std::size_t part = 1; part < 10; ++part) {
      thrown_by([&] { decoded(bytes.substr(0, bytes.size() * part / 10), limits); });
    }
  }
}

TEST(CompressedData, ThatNeedsMoreMemoryThanAllowedIsRefused) {
  DecodeLimits limits;
  limits.memory = 4U << 20U;
  limits.threads_memory = limits.memory;
  const std::string xz = output_of({"xz", "-c", "-6"}, sample());
  EXPECT_THAT(thrown_by([&] { decoded(xz, limits); }).message(),
              HasSubstr("decompression needs more memory than 4.0 MiB"));
  const std::string zstd =
      output_of({"zstd", "-c", "--long=24", "--no-check"}, std::string(1U << 25U, 'x'));
  EXPECT_THAT(thrown_by([&] { decoded(zstd, limits); }).message(),
              HasSubstr("decompression needs more memory than 4.0 MiB"));
}

// A mutex may be tried by another thread only.
bool is_free(std::mutex& gate) {
  bool taken = false;
  std::thread([&] {
    taken = gate.try_lock();
    if (taken) gate.unlock();
  }).join();
  return taken;
}

TEST(CompressedData, ThatNeedsMuchMemoryHoldsTheGateWhileItIsRead) {
  const std::string much_xz = output_of({"xz", "-c", "-9"}, sample());
  const std::string much_zstd =
      output_of({"zstd", "-c", "--long=26", "--no-check"}, std::string(1U << 27U, 'x'));
  const std::string little = output_of({"xz", "-c", "-1"}, sample());
  for (const std::string* bytes : {&much_xz, &much_zstd, &little}) {
    std::mutex gate;
    DecodeLimits limits;
    limits.gate = &gate;
    auto source = decompressed(text_source(*bytes), compression_of(*bytes), limits, "s");
    EXPECT_TRUE(is_free(gate)) << "nothing is known yet";
    EXPECT_FALSE(source->piece().empty());
    EXPECT_EQ(is_free(gate), bytes == &little);
    source.reset();
    EXPECT_TRUE(is_free(gate));
  }
}

TEST(PlainData, IsHandedOn) {
  EXPECT_EQ(decoded("plain text"), "plain text");
  EXPECT_EQ(compression_of(""), "none");
  EXPECT_EQ(compression_of("\x1f"), "none");
}

}  // namespace
}  // namespace topsctl

// Members of zip archives: in pieces, in memory or by streams, and always what zlib makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/open_zip.hpp"
#include "support/thrown.hpp"
#include "support/zips.hpp"
#include "topsctl/host/archive/zip.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

class ZipData : public testing::Test {
 protected:
  static std::string content(const OpenZip& zip, std::size_t index, ZipBuffers& buffers) {
    std::string bytes;
    const auto source = zip.reader().open(zip.reader().entries()[index], buffers);
    for (auto piece = source->piece(); !piece.empty(); piece = source->piece()) {
      EXPECT_LE(piece.size(), 256U << 10U);
      bytes.append(piece);
    }
    return bytes;
  }
  static std::string refusal(const OpenZip& zip, std::size_t index, ZipBuffers& buffers) {
    return thrown_by([&] { content(zip, index, buffers); }).message();
  }

  ZipBuffers at_once_;
  ZipBuffers streams_{0};
};

std::string lines(std::size_t size) {
  std::string out;
  while (out.size() < size) out += "line " + std::to_string(out.size() * 7919 % 10'007) + "\n";
  out.resize(size);
  return out;
}

TEST_F(ZipData, ComesInPieces) {
  const std::string large = lines(2U << 20U);
  const OpenZip zip("a.zip",
                    SampleZip{{{"large", large}, {"stored", large, 0}, {"small", "s"}}}.bytes());
  for (ZipBuffers* const buffers : {&at_once_, &streams_}) {
    EXPECT_TRUE(content(zip, 0, *buffers) == large);
    EXPECT_TRUE(content(zip, 1, *buffers) == large);
    EXPECT_EQ(content(zip, 2, *buffers), "s");
  }
}

TEST_F(ZipData, OfEverySizeAroundAPieceIsWhole) {
  for (const int more : {-1, 0, 1}) {
    const std::string bytes = lines(static_cast<std::size_t>((256 << 10) + more));
    const OpenZip zip("a.zip", SampleZip{{{"a", bytes}}}.bytes());
    for (ZipBuffers* const buffers : {&at_once_, &streams_}) {
      EXPECT_TRUE(content(zip, 0, *buffers) == bytes) << more;
    }
  }
}

// 12 bytes that become none.
TEST_F(ZipData, IsLeftToZlibWhereItDoesNotFitIntoMemory) {
  const OpenZip zip("a.zip", SampleZip{{refused_by_zlib("a")}}.bytes());
  ZipBuffers enough(12);
  ZipBuffers too_few(11);
  EXPECT_EQ(content(zip, 0, enough), "");
  EXPECT_THAT(refusal(zip, 0, too_few), HasSubstr("damaged deflate data"));
  EXPECT_THAT(refusal(zip, 0, streams_), HasSubstr("damaged deflate data"));
  const Error error =
      thrown_by([&] { zip.reader().text(zip.reader().entries()[0], std::uint64_t{100}); });
  EXPECT_THAT(error.message(), HasSubstr("damaged deflate data"));
}

TEST_F(ZipData, IsReadByTheSameBuffersAfterSomethingThatIsRefused) {
  ZipMember damaged{"a", lines(100'000)};
  damaged.packed = deflated(damaged.bytes).substr(0, 1000);
  const OpenZip zip("a.zip", SampleZip{{damaged, {"b", lines(50'000)}, {"c", ""}}}.bytes());
  EXPECT_THAT(refusal(zip, 0, at_once_), HasSubstr("damaged deflate data"));
  EXPECT_TRUE(content(zip, 1, at_once_) == lines(50'000));
  EXPECT_EQ(content(zip, 2, at_once_), "");
}

}  // namespace
}  // namespace topsctl

// Feeds compressed streams of every format to its decoder in pieces.
#include <array>

#include "pieces.hpp"
#include "topsctl/host/archive/decompress.hpp"

namespace {

constexpr std::array<std::string_view, 9> formats = {"gzip", "xz",       "zstd",   "bzip2", "lzma",
                                                     "lz4",  "compress", "base64", "none"};
constexpr std::size_t most_output = 4U << 20U;  // a bomb of this much tells as much as all of it

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  std::string_view input = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(input);
  std::string_view format = compression_of(input.substr(0, 18));
  // Without its magic a stream is given to the decoder all the same, now and then.
  if (format == "none") format = formats[(shape / 16U) % formats.size()];
  DecodeLimits limits;
  limits.memory = 16U << 20U;
  limits.threads_memory = limits.memory;
  try {
    const auto source =
        decompressed(std::make_unique<fuzz::Pieces>(input, shape), format, limits, "sample");
    std::size_t bytes = 0;
    for (auto piece = source->piece(); !piece.empty() && bytes < most_output;
         piece = source->piece()) {
      bytes += piece.size();
    }
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}

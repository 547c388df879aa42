// Feeds tar archives to the reader in pieces, and reads their members whole, in part or not at all.
#include "pieces.hpp"
#include "topsctl/host/archive/tar.hpp"

namespace {

constexpr std::uint64_t most_text = 65'536;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  std::string_view input = fuzz::text_of(data, size);
  unsigned shape = fuzz::choice(input);
  fuzz::Pieces pieces(input, shape);
  try {
    TarReader reader(pieces, "sample.tar");
    std::size_t entries = 0;
    while (const auto entry = reader.next()) {
      fuzz::expect(++entries <= input.size() / 512 + 1);
      fuzz::expect(entry->escapes == path_escapes(entry->raw_path));
      shape = shape * 7U + 1U;
      if (shape % 3 == 0) {
        std::uint64_t bytes = 0;
        for (auto piece = reader.piece(); !piece.empty(); piece = reader.piece()) {
          bytes += piece.size();
        }
        fuzz::expect(bytes == entry->size);
      } else if (shape % 3 == 1) {
        fuzz::expect(reader.text(most_text).size() <= most_text);
      }
    }
    fuzz::expect(pieces.piece().empty());
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}

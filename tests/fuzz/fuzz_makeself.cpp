// Feeds self-extracting archives to the readers of their header and their parts.
#include "pieces.hpp"
#include "topsctl/host/archive/makeself.hpp"

namespace {

constexpr std::size_t most_of_header = 128U << 10U;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  std::string_view input = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(input);
  const std::string_view head = input.substr(0, most_of_header);
  looks_like_runfile(head);
  try {
    const RunfileHeader header = parse_runfile_header(head, "sample.run");
    fuzz::expect(header.payload_offset <= input.size());
    fuzz::Pieces pieces(input, shape);
    std::size_t parts = 0;
    const RunfileParts told =
        read_runfile(pieces, header, "sample.run", [&](std::size_t part, Source& bytes) {
          fuzz::expect(part == parts++);
          // A reader may stop anywhere.
          for (unsigned i = 0; i < shape && !bytes.piece().empty(); ++i) {
          }
        });
    fuzz::expect(told.checksums.empty() || parts > 0);
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}

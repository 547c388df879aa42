// Feeds ELF files to the collector in pieces, and compares with the parser that has all bytes at
// hand.
#include <algorithm>
#include <string>

#include "host/content/elf_parser.hpp"
#include "pieces.hpp"
#include "topsctl/host/content/elf_collector.hpp"

namespace {

using namespace topsctl;

class AllBytes : public ElfBytes {
 public:
  explicit AllBytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::string_view at(std::uint64_t offset, std::uint64_t most, std::string&) override {
    return offset > bytes_.size() ? std::string_view() : bytes_.substr(offset, most);
  }

 private:
  std::string_view bytes_;
};

ElfFacts collected(std::string_view bytes, unsigned shape) {
  ElfCollector collector(bytes.size());
  fuzz::Pieces pieces(bytes, shape);
  for (auto piece = pieces.piece(); !piece.empty(); piece = pieces.piece()) collector.take(piece);
  return collector.facts();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(input);
  // Small files are kept whole; these reach the choice of what to keep of larger ones.
  std::string file(input);
  if (shape % 8 == 4) file.resize(std::max<std::size_t>(file.size(), 80'000));
  const ElfFacts streamed = collected(file, shape);
  AllBytes bytes(file);
  ElfFacts whole = parse_elf(bytes, Exports::skip);
  if (!streamed.is_partial && streamed.is_sound()) fuzz::expect(streamed == whole);
  fuzz::expect(streamed.is_sound() || !streamed.problem.empty());
  if (file.size() < 65'536) fuzz::expect(streamed == whole);
  ElfFacts listed = parse_elf(bytes, Exports::list);
  fuzz::expect(listed.exported.size() <= file.size());
  fuzz::expect(listed.machine == whole.machine && listed.needed == whole.needed);
  return 0;
}

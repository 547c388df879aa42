// Feeds text to the parser of RECORD files.
#include "pieces.hpp"
#include "topsctl/host/python/wheel_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  const std::string_view text = fuzz::text_of(data, size);
  try {
    std::size_t bytes = 0;
    for (const RecordLine& line : parse_record(text, "sample.whl")) {
      bytes += line.path.size() + line.sha256.size();
    }
    fuzz::expect(bytes <= text.size());
  } catch (const Error& error) {
    fuzz::expect_told(error);
  }
  return 0;
}

// Feeds text to the parser of Python core metadata, and asks it for the fields of METADATA and
// WHEEL.
#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/content/stanza.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  const std::string_view text = fuzz::text_of(data, size);
  const Stanza stanza = parse_stanza(text);
  const std::vector<Stanza> all = parse_stanzas(text);
  // The first paragraph is the same, whatever follows it.
  fuzz::expect(stanza.fields.empty() == all.empty());
  if (!all.empty()) fuzz::expect(stanza.fields == all.front().fields);
  for (const char* name : {"Name", "Version", "Requires-Python", "Root-Is-Purelib"}) {
    fuzz::expect(stanza.value(name) == stanza.value(lower_case(name)));
  }
  return 0;
}

// Feeds text to the parser of Debian control files.
#include "pieces.hpp"
#include "topsctl/host/content/stanza.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace topsctl;
  const std::string_view text = fuzz::text_of(data, size);
  const std::vector<Stanza> stanzas = parse_stanzas(text);
  std::size_t bytes = 0;
  for (const Stanza& stanza : stanzas) {
    fuzz::expect(!stanza.fields.empty());
    for (const auto& [name, value] : stanza.fields) bytes += name.size() + value.size();
    fuzz::expect(!stanza.fields.front().first.empty());
    fuzz::expect(stanza.value(stanza.fields.front().first) == stanza.fields.front().second);
  }
  fuzz::expect(bytes <= text.size());
  return 0;
}

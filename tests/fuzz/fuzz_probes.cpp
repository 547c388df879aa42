// Feeds what efsmi and the probe of a backend print: whatever it is, it gives printable facts.
#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/efsmi.hpp"
#include "topsctl/host/facts/probe_lines.hpp"

namespace {

using namespace topsctl;

void expect_printable(const std::string& text) {
  fuzz::expect(text == printable(text));
}

void expect_printable(const ProbeStep& step) {
  for (const std::string* text : {&step.name, &step.error, &step.version, &step.file, &step.api,
                                  &step.backend, &step.library})
    expect_printable(*text);
  for (const ProbeStep& rank : step.ranks) expect_printable(rank);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const CardToolReading reading = parse_efsmi(text);
  expect_printable(reading.tool_version);
  expect_printable(reading.driver_version);
  expect_printable(reading.failure);
  for (const CardReading& card : reading.cards) {
    expect_printable(card.model);
    expect_printable(card.bus_id);
    expect_printable(card.serial);
  }
  for (const ProbeStep& step : parse_probe_lines(text, "t")) expect_printable(step);
  return 0;
}

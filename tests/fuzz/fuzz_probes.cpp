// Feeds what efsmi, nvidia-smi, the probe of a backend and VCCL's telemetry say: whatever it is, it
// gives printable facts, and the telemetry the same ones in whatever pieces it comes.
#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/flow_telemetry.hpp"
#include "topsctl/host/facts/card_tool.hpp"
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

void expect_printable(const CardToolReading& reading) {
  expect_printable(reading.tool_version);
  expect_printable(reading.driver_version);
  expect_printable(reading.failure);
  for (const CardReading& card : reading.cards) {
    expect_printable(card.model);
    expect_printable(card.bus_id);
    expect_printable(card.serial);
    expect_printable(card.state);
  }
}

FlowValues telemetry_in(std::string_view text, unsigned shape) {
  FlowReader reader;
  fuzz::Pieces pieces(text, shape);
  for (std::string_view piece = pieces.piece(); !piece.empty(); piece = pieces.piece())
    reader.take(piece);
  return reader.values();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  expect_printable(parse_efsmi(text));
  expect_printable(card_table_in(text, card_tool_columns()));
  const FlowValues values = telemetry_in(text, 0);
  fuzz::expect(values == telemetry_in(text, static_cast<unsigned>(size % 255 + 1)));
  fuzz::expect(values.count == 0 || (values.lowest >= 0 && values.sum >= values.lowest));
  for (const ProbeStep& step : parse_probe_lines(text, "t")) expect_printable(step);
  return 0;
}

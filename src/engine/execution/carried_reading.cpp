// Package metadata from another host, as text and back.
#include "topsctl/engine/execution/carried_reading.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/bundle_findings.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/model/packed_inspection.hpp"

namespace topsctl {

namespace {

Error not_a_reading() {
  return Error(ErrorCode::bad_input, "unexpected package data from the remote topsctl",
               "run the same version of topsctl on the workstation and on the target");
}

}  // namespace

std::string to_text(CarriedReading reading) {
  return hex_text(packed(reading));
}

CarriedReading parse_carried_reading(std::string_view text) {
  const auto bytes = bytes_of_hex(text);
  if (!bytes) throw not_a_reading();
  CarriedReading reading;
  try {
    reading = unpacked<CarriedReading>(*bytes);
  } catch (const Error&) {
    throw not_a_reading();
  }
  if (reading.packages.size() != reading.contents.size()) throw not_a_reading();
  return reading;
}

ReadPayloads payloads_in(const CarriedReading& reading, const std::vector<Package>& packages) {
  Inspection inspection;
  inspection.depth = Depth::deep;
  inspection.inventory.packages = packages;
  ReadPayloads payloads;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const auto same =
        std::find_if(reading.packages.begin(), reading.packages.end(),
                     [&](const Package& package) { return package.path == packages[i].path; });
    if (same == reading.packages.end()) throw not_a_reading();
    payloads.contents.push_back(
        reading.contents.at(static_cast<std::size_t>(same - reading.packages.begin())));
    inspection.contents.emplace(i, payloads.contents.back());
  }
  payloads.findings = bundle_findings(inspection);
  return payloads;
}

}  // namespace topsctl

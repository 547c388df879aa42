// What was read of packages on another machine: enough for the plan of their install.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "topsctl/engine/execution/stage.hpp"
#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct CarriedReading {
  std::vector<Package> packages;   // with their payload's files
  std::vector<Contents> contents;  // by their order
};
inline auto members_of(CarriedReading& value) {
  auto& [packages, contents] = value;
  return std::tie(packages, contents);
}

// As one line of text, for the same version of topsctl.
std::string to_text(CarriedReading reading);
// Throws Error{bad_input}.
CarriedReading parse_carried_reading(std::string_view text);

// As read_payloads(), of packages that were chosen from such a reading.
ReadPayloads payloads_in(const CarriedReading& reading, const std::vector<Package>& packages);

}  // namespace topsctl

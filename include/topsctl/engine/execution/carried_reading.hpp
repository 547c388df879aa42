// Package metadata that was read on another host: enough to plan their install.
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
  std::vector<Contents> contents;  // in the order of the packages
};
inline auto members_of(CarriedReading& value) {
  auto& [packages, contents] = value;
  return std::tie(packages, contents);
}

// As one line of text; only the same version of topsctl can parse it.
std::string to_text(CarriedReading reading);
// Throws Error{bad_input}.
CarriedReading parse_carried_reading(std::string_view text);

// Like read_payloads(), for packages that were selected from such a reading.
ReadPayloads payloads_in(const CarriedReading& reading, const std::vector<Package>& packages);

}  // namespace topsctl

// A stack file drafted from the packages of a bundle: `topsctl stack new`. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// What packages do not say.
struct DraftWishes {
  std::string name;        // of the stack
  std::string title;       // empty: made of the name
  std::int64_t cards = 0;  // of a usual server; 0: as usual for the vendor
};

// The stack file, with a note for each guess: its evidence, and what a reviewer has to decide.
// `inspection` of Depth::deep. Throws Error{bad_bundle} if the bundle has no usable deb or wheel.
Json drafted_stack(const Inspection& inspection, const DraftWishes& wishes);

// A name for the stack of a bundle: its last path component without suffixes, as an identifier.
std::string stack_name_of(const std::string& bundle);

}  // namespace topsctl

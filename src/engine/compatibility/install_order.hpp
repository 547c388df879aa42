// The order in which dpkg gets the debs.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/compatibility/conflicts.hpp"
#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"

namespace topsctl {

struct InstallOrder {
  std::vector<const KnownDeb*> debs;
  std::vector<std::size_t> call;  // of each deb, from 0
};

// The debs so that each comes after those it depends on; what is asked for in `wishes` is kept
// where dependencies allow it. Else in the bundle's order. Names cycles, and what one call of dpkg
// cannot do: it unpacks all debs before it configures any, so that a Pre-Depends which only the
// bundle meets needs a call before.
InstallOrder install_order(const ComparedDebs& debs, const Precedence& wishes, Findings& findings);

}  // namespace topsctl

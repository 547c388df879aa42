// The order in which the debs are passed to dpkg.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/compatibility/conflicts.hpp"
#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"

namespace topsctl {

struct InstallOrder {
  std::vector<const KnownDeb*> debs;
  std::vector<std::size_t> call;  // index of each deb's call, from 0
};

// Sorts the debs so that each comes after its dependencies; respects `wishes` where dependencies
// allow it, else the bundle's order. Reports cycles, and orders that one call of dpkg cannot do: it
// unpacks all debs before it configures any, so a Pre-Depends that only the bundle satisfies needs
// an earlier call.
InstallOrder install_order(const ComparedDebs& debs, const Precedence& wishes, Findings& findings);

}  // namespace topsctl

// The lines of what could not be put back.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot_restore.hpp"

namespace topsctl {

inline std::vector<std::string> lines_of(const std::vector<RestoreFailure>& failures) {
  std::vector<std::string> lines;
  for (const RestoreFailure& failure : failures) lines.push_back(failure.line);
  return lines;
}

}  // namespace topsctl

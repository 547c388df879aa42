// One digest of all selected packages, to distinguish bundles.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/plan.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

struct DigestedFile {
  std::string sha256;  // in lower-case hex; empty: unknown
  std::string name;
};

// SHA-256 of the lines "SHA256  NAME\n", sorted as bytes, as `sha256sum` prints them; empty if a
// digest is unknown, or there is no file.
std::string digest_of(const std::vector<DigestedFile>& files);

// The given `paths`, and the digest of the plan's packages by their staged names.
GivenBundle bundle_of(const Plan& plan, const std::vector<std::string>& paths);

}  // namespace topsctl

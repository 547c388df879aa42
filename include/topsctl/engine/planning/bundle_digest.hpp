// One digest of all packages that are taken, to tell bundles apart.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/plan.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

struct DigestedFile {
  std::string sha256;  // in lower-case hex; empty: not known
  std::string name;
};

// SHA-256 of the lines "SHA256  NAME\n", sorted as bytes, as `sha256sum` prints them; empty if a
// digest is not known, or there is no file.
std::string digest_of(const std::vector<DigestedFile>& files);

// What was given as `paths`, and the digest of the packages of the plan, by their names once
// staged.
GivenBundle bundle_of(const Plan& plan, const std::vector<std::string>& paths);

}  // namespace topsctl

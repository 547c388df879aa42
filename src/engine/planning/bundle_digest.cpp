// Computes one digest of all selected packages.
#include "topsctl/engine/planning/bundle_digest.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

std::string digest_of(const std::vector<DigestedFile>& files) {
  std::vector<std::string> lines;
  for (const DigestedFile& file : files) {
    if (file.sha256.empty()) return "";
    lines.push_back(concat(file.sha256, "  ", file.name, "\n"));
  }
  if (lines.empty()) return "";
  std::sort(lines.begin(), lines.end());
  return sha256_of(joined(lines, ""));
}

GivenBundle bundle_of(const Plan& plan, const std::vector<std::string>& paths) {
  std::vector<DigestedFile> files;
  for (const PlannedPackage& package : plan.packages)
    files.push_back({package.sha256, package.file});
  return {paths, digest_of(files)};
}

}  // namespace topsctl

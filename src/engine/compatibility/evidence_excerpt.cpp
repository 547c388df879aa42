// Shortening of long lists of evidence.
#include "engine/compatibility/evidence_excerpt.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

std::vector<Evidence> shortened(std::vector<Evidence> evidence) {
  if (evidence.size() <= most_evidence) return evidence;
  const std::size_t more = evidence.size() - most_evidence;
  evidence.resize(most_evidence);
  evidence.push_back({"", 0, format("and {} more", more)});
  return evidence;
}

}  // namespace topsctl

// Evidence of one finding, as much of it as a person reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// Keeps the first 20 pieces and counts the others.
class EvidenceList {
 public:
  // The text is made printable and cut to 200 bytes, the source too.
  void add(std::string_view source, std::string_view text, int line = 0);
  bool is_empty() const { return pieces_.empty(); }
  // The pieces, and as the last "and N more" where there are more.
  std::vector<Evidence> pieces() const;

 private:
  std::vector<Evidence> pieces_;
  std::size_t more_ = 0;
};

}  // namespace topsctl

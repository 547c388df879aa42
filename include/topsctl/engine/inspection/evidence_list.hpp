// Evidence of one finding, limited to a readable amount.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// Keeps the first 20 pieces and counts the rest.
class EvidenceList {
 public:
  // Makes text and source printable and cuts both to 200 bytes.
  void add(std::string_view source, std::string_view text, int line = 0);
  bool is_empty() const { return pieces_.empty(); }
  // The pieces, and "and N more" as the last one if there are more.
  std::vector<Evidence> pieces() const;

 private:
  std::vector<Evidence> pieces_;
  std::size_t more_ = 0;
};

}  // namespace topsctl

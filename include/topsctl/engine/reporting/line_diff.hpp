// The differences between two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct LineDiff {
  std::size_t added = 0;           // lines
  std::size_t removed = 0;         // lines
  std::vector<std::string> first;  // "-old", "+new", in the order of the texts; printable
  bool operator==(const LineDiff&) const = default;

  bool is_empty() const { return added == 0 && removed == 0; }
};

// The first `most` changed lines, each at most 200 bytes, and the total counts. Finds a longest
// common subsequence if the differing middle parts have a bounded size; else compares lines without
// their order.
LineDiff line_diff(std::string_view before, std::string_view after, std::size_t most);

}  // namespace topsctl

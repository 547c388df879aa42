// Limits evidence in number and width.
#include "topsctl/engine/inspection/evidence_list.hpp"

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_pieces = 20;
constexpr std::size_t longest = 200;  // bytes, so that no piece is wider than this number of
                                      // columns

std::string fit_to_show(std::string_view text) {
  const std::string shown = printable(shortened(text, 4 * longest));
  return shown.size() <= longest ? shown : shortened(shown, longest - 3);
}

}  // namespace

void EvidenceList::add(std::string_view source, std::string_view text, int line) {
  if (pieces_.size() == most_pieces) {
    ++more_;
    return;
  }
  pieces_.push_back({fit_to_show(source), line, fit_to_show(text)});
}

std::vector<Evidence> EvidenceList::pieces() const {
  std::vector<Evidence> pieces = pieces_;
  if (more_ > 0) pieces.push_back({"", 0, format("and {} more", more_)});
  return pieces;
}

}  // namespace topsctl

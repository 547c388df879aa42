// Builds the automaton, and runs it.
#include "host/system/text_scan.hpp"

#include <algorithm>
#include <utility>

#include "topsctl/base/error.hpp"

namespace topsctl {

TextScan::TextScan(const std::vector<Text>& texts) {
  std::array<bool, 256> is_used{};
  for (const Text& text : texts) {
    for (const char byte : text.text) is_used.at(static_cast<unsigned char>(byte)) = true;
  }
  // At most 230 classes: capitals have none of their own.
  for (std::size_t byte = 0; byte < is_used.size(); ++byte) {
    if (is_used.at(byte)) class_.at(byte) = static_cast<std::uint8_t>(width_++);
  }
  for (std::size_t letter = 'A'; letter <= 'Z'; ++letter)
    class_.at(letter) = class_.at(letter - 'A' + 'a');
  nodes_.emplace_back();
  next_.resize(width_);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // node and owner
  for (const Text& text : texts) ends.emplace_back(add(text.text), text.owner);
  std::sort(ends.begin(), ends.end());
  for (const auto& [at, owner] : ends) {
    Node& node = nodes_[at];
    if (node.begin == node.end) node.begin = static_cast<std::uint32_t>(owners_.size());
    owners_.push_back(owner);
    node.end = static_cast<std::uint32_t>(owners_.size());
    node.lowest = std::min(node.lowest, owner);
  }
  link();
}

std::uint32_t TextScan::add(const std::string& text) {
  std::uint32_t node = 0;
  for (const char byte : text) {
    const std::size_t at = std::size_t{node} * width_ + class_[static_cast<unsigned char>(byte)];
    if (next_[at] == 0) {
      if (next_.size() + width_ >= hit)
        throw Error(ErrorCode::internal, "too many texts to search for");
      next_[at] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
      next_.resize(next_.size() + width_);
    }
    node = next_[at];
  }
  return node;
}

// From short to long: what follows where a text goes on otherwise is known from its longest end
// that begins another text.
void TextScan::link() {
  std::vector<std::uint32_t> ends(nodes_.size());  // the node of that end
  std::vector<std::uint32_t> ordered;
  for (std::uint32_t i = 0; i < width_; ++i) {
    if (next_[i] != 0) ordered.push_back(next_[i]);
  }
  for (std::size_t done = 0; done < ordered.size(); ++done) {
    const std::uint32_t node = ordered[done];
    const Node& end = nodes_[ends[node]];
    Node& here = nodes_[node];
    here.shorter = end.begin == end.end ? end.shorter : ends[node];
    here.lowest = std::min(here.lowest, end.lowest);
    for (std::uint32_t i = 0; i < width_; ++i) {
      std::uint32_t& child = next_[std::size_t{node} * width_ + i];
      const std::uint32_t otherwise = next_[std::size_t{ends[node]} * width_ + i];
      if (child == 0) {
        child = otherwise;
      } else {
        ends[child] = otherwise;
        ordered.push_back(child);
      }
    }
  }
  order(ordered);
}

// What is near the root lies together: hardly any text goes far from it.
void TextScan::order(const std::vector<std::uint32_t>& ordered) {
  std::vector<std::uint32_t> places(nodes_.size());
  for (std::uint32_t i = 0; i < ordered.size(); ++i) places[ordered[i]] = i + 1;
  std::vector<std::uint32_t> next(next_.size());
  std::vector<Node> nodes(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes[places[i]] = nodes_[i];
    node.shorter = places[node.shorter];
    for (std::size_t c = 0; c < width_; ++c) {
      const std::uint32_t step = next_[i * width_ + c];
      const bool is_hit = nodes_[step].lowest != none;
      next[places[i] * width_ + c] = places[step] * width_ | (is_hit ? hit : 0);
    }
  }
  next_ = std::move(next);
  nodes_ = std::move(nodes);
}

std::size_t TextScan::find(std::string_view text, std::size_t from, std::uint32_t most) const {
  std::uint32_t state = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::uint32_t step = next(state, text[at]);
    state = step & ~hit;
    if ((step & hit) != 0 && nodes_[state / width_].lowest < most) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace topsctl

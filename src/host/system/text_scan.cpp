// Chooses the keys, and compares texts.
#include "host/system/text_scan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "topsctl/base/error.hpp"

namespace topsctl {

TextScan::TextScan(const std::vector<Text>& texts)
    : is_key_((std::size_t{1} << hash_bits) / 64), groups_((std::size_t{1} << keys_bits) + 1) {
  std::map<std::uint32_t, std::size_t> counts;  // of texts, by four bytes
  for (const Text& text : texts) {
    if (text.text.size() < shortest)
      throw Error(ErrorCode::internal, "a text to search for is too short");
    for (std::size_t i = 0; i + shortest <= text.text.size(); ++i)
      ++counts[bytes_at(text.text.data() + i)];
  }
  for (const Text& text : texts) {
    // A substring that is rare among the texts is rare in logs too. A text with a line end counts
    // for the line in which it ends.
    const std::size_t last = text.text.size() - shortest;
    const bool is_of_lines = text.text.find_first_of("\r\n") != std::string::npos;
    std::size_t best = last;
    for (std::size_t i = last; !is_of_lines && i-- > 0;) {
      if (counts[bytes_at(text.text.data() + i)] < counts[bytes_at(text.text.data() + best)])
        best = i;
    }
    const std::uint32_t bytes = bytes_at(text.text.data() + best);
    keys_.push_back({bytes, hash_of(bytes), static_cast<std::uint32_t>(texts_.size()),
                     static_cast<std::uint32_t>(best), text.owner});
    texts_.push_back(text.text);
  }
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) {
    return std::tie(a.hash, a.text) < std::tie(b.hash, b.text);
  });
  for (const Key& key : keys_) {
    is_key_[key.hash / 64] |= std::uint64_t{1} << (key.hash % 64);
    ++groups_[(key.hash >> (hash_bits - keys_bits)) + 1];
  }
  for (std::size_t i = 1; i < groups_.size(); ++i) groups_[i] += groups_[i - 1];
}

bool TextScan::is_at(const Key& key, std::string_view text, std::size_t from,
                     std::size_t at) const {
  const std::string& wanted = texts_[key.text];
  if (at - from < key.offset) return false;
  const std::string_view there = text.substr(at - key.offset, wanted.size());
  return std::equal(there.begin(), there.end(), wanted.begin(), wanted.end(),
                    [](char one, char other) {
                      const bool is_capital = one >= 'A' && one <= 'Z';
                      return (is_capital ? static_cast<char>(one - 'A' + 'a') : one) == other;
                    });
}

}  // namespace topsctl

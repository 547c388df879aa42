// Fills the names of patterns in.
#include "topsctl/model/catalogue/named_patterns.hpp"

#include <algorithm>
#include <string_view>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == text.npos;
}

}  // namespace

PatternNames read_pattern_names(const JsonReader& reader) {
  PatternNames names;
  for (const std::string& key : reader.keys()) {
    const JsonReader value = reader.at(key);
    if (!is_name(key)) reader.reject(format("expected a-z and _ only, got {}", in_quotes(key)));
    names.emplace_back(key, concat("(?:", read_pattern(value, names), ")"));
  }
  return names;
}

std::string read_pattern(const JsonReader& reader, const PatternNames& names) {
  constexpr std::size_t most_of_pattern = 16U << 10U;
  const std::string pattern = reader.text();
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto end = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    if (end == std::string::npos ||
        !is_name(std::string_view(pattern).substr(at + 1, end - at - 1))) {
      out.push_back(pattern[at++]);
      continue;
    }
    const std::string wanted = pattern.substr(at + 1, end - at - 1);
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const auto& each) { return each.first == wanted; });
    if (found == names.end()) reader.reject(format("unknown name {}", in_quotes(wanted)));
    out.append(found->second);
    if (out.size() > most_of_pattern)
      reader.reject(format("with its names it has more than {} bytes", most_of_pattern));
    at = end + 1;
  }
  return out;
}

}  // namespace topsctl

// Checks of option values.
#include "cli/validators.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

ValueCheck one_of(const std::vector<std::string>& choices) {
  return [choices](const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::string();
    return format("expected one of {}; got {}{}", joined(choices, ", "), in_quotes(value),
                  did_you_mean(value, choices));
  };
}

ValueCheck known_finding() {
  return [](const std::string& value) {
    const std::vector<std::string> ids = finding_ids();
    if (std::binary_search(ids.begin(), ids.end(), value)) return std::string();
    return format("unknown finding id: {}{}", in_quotes(value), did_you_mean(value, ids));
  };
}

ValueCheck not_accepted_so(const std::string& finding, const std::string& option) {
  return [finding, option](const std::string& value) {
    if (value != finding) return std::string();
    return format("{} has its own option: {}", in_quotes(finding), option);
  };
}

ValueCheck whole_number(std::int64_t least, std::int64_t most) {
  return [least, most](const std::string& value) {
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number >= least && number <= most) {
      return std::string();
    }
    return format("expected an integer from {} to {}; got {}", least, most, in_quotes(value));
  };
}

std::optional<std::uint64_t> size_in_bytes(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return std::nullopt;
  const std::string unit =
      lower_case(trimmed({parsed.ptr, static_cast<std::size_t>(end - parsed.ptr)}));
  if (unit.empty() || unit == "b") return number;
  constexpr std::string_view letters = "kmgt";
  const std::size_t power = letters.find(unit.front());
  const std::string_view rest = std::string_view(unit).substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "ib")) return std::nullopt;
  const unsigned shift = 10U * static_cast<unsigned>(power + 1);
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

ValueCheck size_with_unit() {
  return [](const std::string& value) {
    if (size_in_bytes(value)) return std::string();
    return format("expected a size such as 500M or 2G; got {}", in_quotes(value));
  };
}

std::optional<std::pair<std::uint16_t, std::uint16_t>> ports_of(std::string_view text) {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  const char* end = text.data() + text.size();
  const auto from = std::from_chars(text.data(), end, first);
  if (from.ec != std::errc() || from.ptr == end || *from.ptr != '-') return std::nullopt;
  const auto to = std::from_chars(from.ptr + 1, end, last);
  if (to.ec != std::errc() || to.ptr != end || first == 0 || last < first) return std::nullopt;
  return std::pair(first, last);
}

ValueCheck port_range() {
  return [](const std::string& value) {
    if (ports_of(value)) return std::string();
    return format("expected ports such as 40000-40010; got {}", in_quotes(value));
  };
}

ValueCheck zstd_archive() {
  return [](const std::string& value) {
    for (const char* other : {".gz", ".tgz", ".xz", ".txz", ".bz2", ".zip", ".tar", ".7z"}) {
      if (value.ends_with(other))
        return format("the archive is compressed with Zstandard: name it .tar.zst, not {}", other);
    }
    return std::string();
  };
}

}  // namespace topsctl

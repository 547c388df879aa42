// Checks of option values.
#include "topsctl/cli/validators.hpp"

#include <algorithm>
#include <charconv>

#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

CLI::Validator one_of(const std::vector<std::string>& choices) {
  const auto check = [choices](std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) != choices.end()) return std::string();
    return concat("expected one of ", joined(choices, ", "), "; got ", in_quotes(value),
                  did_you_mean(value, choices));
  };
  return CLI::Validator(check, "");
}

CLI::Validator known_finding() {
  const auto check = [](std::string& value) {
    const std::vector<std::string> ids = finding_ids();
    if (std::binary_search(ids.begin(), ids.end(), value)) return std::string();
    return concat("no finding has the id ", in_quotes(value), did_you_mean(value, ids));
  };
  return CLI::Validator(check, "");
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](std::string& value) {
    std::int64_t number = 0;
    const char* end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number >= least && number <= most) {
      return std::string();
    }
    return concat("expected a whole number from ", least, " to ", most, "; got ", in_quotes(value));
  };
  return CLI::Validator(check, "");
}

}  // namespace topsctl

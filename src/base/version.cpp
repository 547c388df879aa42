// Debian version ordering (policy 5.6.12) and the program's own version.
#include "topsctl/base/version.hpp"

#include <algorithm>

namespace topsctl {

std::string_view topsctl_version() {
  return TOPSCTL_VERSION;
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Tilde before the end of the text, letters before all other characters. dpkg treats bytes above
// 127 as negative, which puts them between letters and the other characters.
int weight(std::string_view text, std::size_t at) {
  if (at >= text.size() || is_digit(text[at])) return 0;
  const char c = text[at];
  if (c == '~') return -1;
  if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return static_cast<unsigned char>(c);
  return static_cast<signed char>(c) + 256;
}

std::string_view digits_at(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  std::string_view digits = text.substr(first, at - first);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

int compare_numbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

int compare_part(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !is_digit(a[i])) || (j < b.size() && !is_digit(b[j]))) {
      const int difference = weight(a, i) - weight(b, j);
      if (difference != 0) return difference;
      ++i;
      ++j;
    }
    const std::string_view x = digits_at(a, i);
    const std::string_view y = digits_at(b, j);
    if (const int difference = compare_numbers(x, y); difference != 0) return difference;
  }
  return 0;
}

struct Parts {
  std::string_view epoch;
  std::string_view upstream;
  std::string_view revision;
};

std::string_view without_blanks(std::string_view version) {
  const auto first = version.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return version.substr(first, version.find_last_not_of(" \t") - first + 1);
}

// dpkg parses the epoch with strtol, which skips white space and accepts a sign.
std::string_view epoch_digits(std::string_view epoch) {
  epoch.remove_prefix(std::min(epoch.find_first_not_of(" \t\n\v\f\r"), epoch.size()));
  const bool has_plus = epoch.starts_with('+');
  const bool is_minus_zero =
      epoch.starts_with("-0") && epoch.find_first_not_of('0', 1) == epoch.npos;
  if (has_plus || is_minus_zero) epoch.remove_prefix(1);
  return epoch;
}

Parts parts_of(std::string_view version) {
  Parts parts;
  if (const auto colon = version.find(':'); colon != std::string_view::npos) {
    parts.epoch = epoch_digits(version.substr(0, colon));
    version.remove_prefix(colon + 1);
  }
  const auto dash = version.rfind('-');
  parts.upstream = version.substr(0, dash);
  if (dash != std::string_view::npos) parts.revision = version.substr(dash + 1);
  return parts;
}

}  // namespace

int compare_debian_versions(std::string_view a, std::string_view b) {
  a = without_blanks(a);
  b = without_blanks(b);
  if (a.empty() || b.empty()) return (a.empty() ? 0 : 1) - (b.empty() ? 0 : 1);
  const Parts x = parts_of(a);
  const Parts y = parts_of(b);
  if (const int epoch = compare_part(x.epoch, y.epoch); epoch != 0) return epoch;
  if (const int upstream = compare_part(x.upstream, y.upstream); upstream != 0) return upstream;
  return compare_part(x.revision, y.revision);
}

}  // namespace topsctl

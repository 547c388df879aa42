// Python tags of wheels (PEP 425), read as their makers mean them.
#include "topsctl/host/python/wheel_tags.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// One member of a set of tags: "cp38" is {"cp", '3', 8}, "py3" has no minor.
struct PythonTag {
  std::string implementation;
  char major = '0';
  std::optional<unsigned> minor;

  bool is_known() const { return implementation == "py" || implementation == "cp"; }
};

std::optional<unsigned> number_of(std::string_view digits) {
  unsigned value = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "py38" has a one-digit major version; in "py3.8" the rest is a separate piece.
PythonTag tag_of(std::string_view text) {
  PythonTag tag;
  const auto digits = std::min(text.find_first_of("0123456789"), text.size());
  tag.implementation = text.substr(0, digits);
  const std::string_view version = text.substr(digits);
  if (!is_digits(version)) return {};
  tag.major = version.front();
  if (version.size() > 1) tag.minor = number_of(version.substr(1));
  if (version.size() > 1 && !tag.minor) return {};
  return tag;
}

std::vector<PythonTag> python_tags(std::string_view tag) {
  std::vector<PythonTag> tags;
  for (const std::string& piece : split(tag.substr(0, tag.find('-')), '.')) {
    // "py3.8" means 3.8, although PEP 425 reads it as a set.
    if (!tags.empty() && is_digits(piece) && tags.back().is_known() && !tags.back().minor) {
      tags.back().minor = number_of(piece);
    } else {
      tags.push_back(tag_of(piece));
    }
  }
  return tags;
}

// Extension modules of the stable ABI work with all later versions (PEP 384).
bool is_stable_abi(std::string_view tag) {
  const std::vector<std::string> parts = split(tag, '-');
  return parts.size() == 3 && parts[1] == "abi3";
}

}  // namespace

std::optional<std::string> python_minor(const std::vector<std::string>& tags) {
  std::set<std::string> minors;
  for (const std::string& tag : tags) {
    if (is_stable_abi(tag)) return std::nullopt;
    for (const PythonTag& python : python_tags(tag)) {
      if (!python.is_known() || !python.minor) return std::nullopt;
      minors.insert(concat(python.major, ".", *python.minor));
    }
  }
  if (minors.size() != 1) return std::nullopt;
  return *minors.begin();
}

bool is_for_python(const std::vector<std::string>& tags, std::string_view minor) {
  if (!minor.starts_with("3.")) return false;
  const std::optional<unsigned> wanted = number_of(minor.substr(2));
  if (!wanted) return false;
  return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    const std::vector<PythonTag> pythons = python_tags(tag);
    return std::any_of(pythons.begin(), pythons.end(), [&](const PythonTag& python) {
      if (!python.is_known() || python.major != '3') return false;
      if (!python.minor) return true;
      return is_stable_abi(tag) ? *wanted >= *python.minor : *wanted == *python.minor;
    });
  });
}

}  // namespace topsctl

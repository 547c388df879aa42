// Reads requirements and evaluates their markers by descent.
#include "topsctl/base/python_requirement.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "topsctl/base/python_version.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int deepest = 50;  // brackets within brackets

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The release of a version, with as many parts as `like`: "3.8.10" like "3.8" is "3.8".
std::string cut_like(std::string_view version, std::string_view like) {
  std::vector<std::string> parts = split(version, '.');
  const std::size_t most = split(like, '.').size();
  if (parts.size() > most) parts.resize(most);
  return joined(parts, ".");
}

bool is_prefix_met(std::string_view version, std::string_view wanted) {
  return compare_python_versions(cut_like(version, wanted), wanted) == 0;
}

// "1.10.0" of "1.10.0rc1".
std::string_view release_of(std::string_view version) {
  std::size_t end = 0;
  while (end < version.size() && (is_digits(version.substr(end, 1)) || version[end] == '.')) ++end;
  if (end > 0 && version[end - 1] == '.') --end;
  return version.substr(0, end);
}

bool is_specifier_met(std::string_view specifier, std::string_view version) {
  constexpr std::array<std::string_view, 8> operators = {
      "===", "~=", "==", "!=", "<=", ">=", "<", ">"};
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [&](std::string_view one) { return specifier.starts_with(one); });
  if (found == operators.end()) return true;
  std::string_view wanted = trimmed(specifier.substr(found->size()));
  const bool is_prefix = wanted.ends_with(".*");
  if (is_prefix) wanted.remove_suffix(2);
  if (!is_pep440_version(wanted)) return true;
  // A specifier without a local version ignores that of the candidate (PEP 440).
  if (wanted.find('+') == std::string_view::npos) version = version.substr(0, version.find('+'));
  const int order = compare_python_versions(version, wanted);
  if (*found == "==" || *found == "===") {
    return is_prefix ? is_prefix_met(version, wanted) : order == 0;
  }
  if (*found == "!=") return is_prefix ? !is_prefix_met(version, wanted) : order != 0;
  if (*found == "~=") {
    const auto last = wanted.rfind('.');
    return order >= 0 &&
           (last == std::string_view::npos || is_prefix_met(version, wanted.substr(0, last)));
  }
  if (*found == "<=") return order <= 0;
  if (*found == ">=") return order >= 0;
  // A pre-release or a post-release of the same version satisfies neither.
  if (release_of(version) == release_of(wanted) && release_of(wanted) == wanted) return false;
  return *found == "<" ? order < 0 : order > 0;
}

// marker: and ("or" and)*; and: term ("and" term)*; term: "(" marker ")" or value operator value.
class MarkerReader {
 public:
  MarkerReader(std::string_view text, const MarkerEnvironment& environment)
      : rest_(text), environment_(environment) {}

  std::optional<bool> read() {
    const auto met = any();
    return trimmed(rest_).empty() ? met : std::nullopt;
  }

 private:
  std::optional<bool> any() {
    if (++depth_ > deepest) return std::nullopt;
    auto met = all();
    while (met && takes("or")) {
      const auto other = all();
      met = other ? std::optional(*met || *other) : std::nullopt;
    }
    --depth_;
    return met;
  }

  std::optional<bool> all() {
    auto met = term();
    while (met && takes("and")) {
      const auto other = term();
      met = other ? std::optional(*met && *other) : std::nullopt;
    }
    return met;
  }

  std::optional<bool> term() {
    if (takes("(")) {
      const auto met = any();
      return takes(")") ? met : std::nullopt;
    }
    const auto left = value();
    const std::string compared = comparison();
    const auto right = value();
    if (!left || !right || compared.empty()) return std::nullopt;
    return is_met(*left, compared, *right);
  }

  static bool is_met(const std::string& left, const std::string& compared,
                     const std::string& right) {
    if (compared == "in") return right.find(left) != std::string::npos;
    if (compared == "!in") return right.find(left) == std::string::npos;
    std::string_view number = right;
    if (number.ends_with(".*")) number.remove_suffix(2);
    if (is_pep440_version(left) && is_pep440_version(number))
      return accepts_python_version(concat(compared, right), left);
    if (compared == "==" || compared == "===") return left == right;
    if (compared == "!=") return left != right;
    const int order = left.compare(right);
    if (compared == "<" || compared == "<=") return order < 0 || (order == 0 && compared == "<=");
    return order > 0 || (order == 0 && compared == ">=");
  }

  std::optional<std::string> value() {
    rest_ = trimmed(rest_);
    if (rest_.empty()) return std::nullopt;
    if (const char quote = rest_.front(); quote == '"' || quote == '\'') {
      const auto end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return std::nullopt;
      std::string text(rest_.substr(1, end - 1));
      rest_.remove_prefix(end + 1);
      return text;
    }
    std::size_t end = 0;
    while (end < rest_.size() &&
           (is_letter_or_digit(rest_[end]) || rest_[end] == '_' || rest_[end] == '.'))
      ++end;
    const auto found = environment_.find(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return found == environment_.end() ? std::nullopt : std::optional(found->second);
  }

  std::string comparison() {
    constexpr std::array<const char*, 9> all = {
        "===", "~=", "==", "!=", "<=", ">=", "<", ">", "in"};
    for (const char* each : all) {
      if (takes(each)) return each;
    }
    return takes("not") && takes("in") ? "!in" : "";
  }

  bool takes(std::string_view word) {
    rest_ = trimmed(rest_);
    if (!rest_.starts_with(word)) return false;
    const bool is_word = is_letter_or_digit(word.front());
    if (is_word && rest_.size() > word.size() && is_letter_or_digit(rest_[word.size()]))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::string_view rest_;
  const MarkerEnvironment& environment_;
  int depth_ = 0;
};

}  // namespace

std::optional<PythonRequirement> parse_python_requirement(std::string_view field) {
  field = trimmed(field);
  std::size_t end = 0;
  while (end < field.size() && (is_letter_or_digit(field[end]) || field[end] == '.' ||
                                field[end] == '-' || field[end] == '_'))
    ++end;
  if (end == 0) return std::nullopt;
  PythonRequirement requirement{std::string(field.substr(0, end)), {}, {}};
  std::string_view rest = trimmed(field.substr(end));
  if (rest.starts_with('[')) {  // extras
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    rest = trimmed(rest.substr(close + 1));
  }
  const bool is_url = rest.starts_with('@');
  // In a URL, a semicolon belongs to the URL unless a blank precedes it.
  const auto marker = is_url ? rest.find(" ;") : rest.find(';');
  if (marker != std::string_view::npos)
    requirement.marker = trimmed(rest.substr(rest.find(';', marker) + 1));
  if (is_url) return requirement;
  std::string_view specifiers = trimmed(rest.substr(0, marker));
  if (specifiers.starts_with('(') && specifiers.ends_with(')'))
    specifiers = trimmed(specifiers.substr(1, specifiers.size() - 2));
  constexpr std::string_view begins = "=<>!~";
  if (!specifiers.empty() && begins.find(specifiers.front()) == std::string_view::npos)
    return std::nullopt;
  requirement.specifiers = specifiers;
  return requirement;
}

std::optional<bool> is_marker_met(std::string_view marker, const MarkerEnvironment& environment) {
  if (trimmed(marker).empty()) return true;
  return MarkerReader(marker, environment).read();
}

bool accepts_python_version(std::string_view specifiers, std::string_view version) {
  const std::vector<std::string> all = split(specifiers, ',');
  return std::all_of(all.begin(), all.end(), [&](const std::string& specifier) {
    return is_specifier_met(trimmed(specifier), version);
  });
}

}  // namespace topsctl

// Python version ordering: PEP 440, and a defined order for other versions.
#include "topsctl/base/python_version.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

constexpr std::string_view separators = "-_.";
// The ASCII characters that Python's `\s` matches.
constexpr std::string_view white_space = " \t\n\v\f\r\x1c\x1d\x1e\x1f";

// Without leading zeros: zero is the empty text, so that length and text give the order.
using Number = std::string_view;

Number number(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

template <class Value>
int order(const Value& a, const Value& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_release_numbers(Number a, Number b) {
  if (a.size() != b.size()) return order(a.size(), b.size());
  return order(a, b);
}

// PEP 440, "Local version identifiers": a word is older than a number. Also used for versions that
// are not PEP 440 compliant.
struct Piece {
  bool is_number = false;
  std::string_view text;
};

int compare_pieces(const std::vector<Piece>& a, const std::vector<Piece>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_number != b[i].is_number) return order(a[i].is_number, b[i].is_number);
    const int difference = a[i].is_number ? compare_release_numbers(a[i].text, b[i].text)
                                          : order(a[i].text, b[i].text);
    if (difference != 0) return difference;
  }
  return order(a.size(), b.size());
}

enum class Phase { alpha, beta, candidate };

struct PreRelease {
  Phase phase = Phase::alpha;
  Number number;
};

struct PythonVersion {
  Number epoch;
  std::vector<Number> release;  // without the zeros at its end
  std::optional<PreRelease> pre;
  std::optional<Number> post;
  std::optional<Number> dev;
  std::optional<std::vector<Piece>> local;
};

// Scans a lower-case version. Each part consumes as much as possible: no later part of PEP 440's
// grammar needs text that an earlier one consumed.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  std::optional<PythonVersion> version() {
    PythonVersion version;
    skip("v");
    std::optional<Number> first = digits();
    if (first && skip("!")) {
      version.epoch = *first;
      first = digits();
    }
    if (!first) return std::nullopt;
    version.release = release(*first);
    version.pre = pre_release();
    version.post = post_release();
    version.dev = labelled({"dev"});
    if (skip("+") && !(version.local = local())) return std::nullopt;
    if (!rest_.empty()) return std::nullopt;
    return version;
  }

 private:
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void skip_separator() {
    if (!rest_.empty() && separators.find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
  }

  std::optional<Number> digits() {
    const auto end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (end == 0) return std::nullopt;
    const Number found = number(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return found;
  }

  std::vector<Number> release(Number first) {
    std::vector<Number> numbers{first};
    for (;;) {
      const std::string_view before = rest_;
      const std::optional<Number> next = skip(".") ? digits() : std::nullopt;
      if (!next) {
        rest_ = before;
        break;
      }
      numbers.push_back(*next);
    }
    while (!numbers.empty() && numbers.back().empty()) numbers.pop_back();
    return numbers;
  }

  // "-dev_1", "dev": the number, zero if it is missing; reads nothing unless one of the labels is
  // present. A label that begins with another one must come first.
  std::optional<Number> labelled(std::initializer_list<std::string_view> labels) {
    const std::string_view before = rest_;
    skip_separator();
    if (std::none_of(labels.begin(), labels.end(), [&](auto label) { return skip(label); })) {
      rest_ = before;
      return std::nullopt;
    }
    skip_separator();
    return digits().value_or(Number{});
  }

  std::optional<PreRelease> pre_release() {
    if (const auto found = labelled({"alpha", "a"})) return PreRelease{Phase::alpha, *found};
    if (const auto found = labelled({"beta", "b"})) return PreRelease{Phase::beta, *found};
    if (const auto found = labelled({"preview", "pre", "rc", "c"}))
      return PreRelease{Phase::candidate, *found};
    return std::nullopt;
  }

  std::optional<Number> post_release() {
    const std::string_view before = rest_;
    if (skip("-")) {
      if (const auto found = digits()) return found;
      rest_ = before;
    }
    return labelled({"post", "rev", "r"});
  }

  std::optional<std::vector<Piece>> local() {
    std::vector<Piece> pieces;
    for (;;) {
      const auto end =
          std::min(rest_.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"), rest_.size());
      if (end == 0) return std::nullopt;
      const std::string_view text = rest_.substr(0, end);
      rest_.remove_prefix(end);
      pieces.push_back(is_digits(text) ? Piece{true, number(text)} : Piece{false, text});
      if (rest_.empty()) return pieces;
      const std::size_t before = rest_.size();
      skip_separator();
      if (rest_.size() == before) return std::nullopt;
    }
  }

  std::string_view rest_;
};

// In lower case, trimmed.
std::string folded(std::string_view version) {
  const auto first = version.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return lower_case(version.substr(first, version.find_last_not_of(white_space) - first + 1));
}

int compare_releases(const std::vector<Number>& a, const std::vector<Number>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int difference = compare_release_numbers(a[i], b[i]); difference != 0)
      return difference;
  }
  return order(a.size(), b.size());
}

// 0 for a pure development release, which precedes alphas; then the phases; then the rest.
int stage(const PythonVersion& version) {
  if (version.pre) return 1 + static_cast<int>(version.pre->phase);
  return version.dev && !version.post ? 0 : 4;
}

// `absent`: how a version without this part compares to one with it.
int compare_optional(const std::optional<Number>& a, const std::optional<Number>& b, int absent) {
  if (a && b) return compare_release_numbers(*a, *b);
  return a ? -absent : b ? absent : 0;
}

int compare_pep440(const PythonVersion& a, const PythonVersion& b) {
  if (const int epoch = compare_release_numbers(a.epoch, b.epoch); epoch != 0) return epoch;
  if (const int release = compare_releases(a.release, b.release); release != 0) return release;
  if (const int phase = order(stage(a), stage(b)); phase != 0) return phase;
  if (a.pre && b.pre) {
    if (const int pre = compare_release_numbers(a.pre->number, b.pre->number); pre != 0) return pre;
  }
  if (const int post = compare_optional(a.post, b.post, -1); post != 0) return post;
  if (const int dev = compare_optional(a.dev, b.dev, 1); dev != 0) return dev;
  if (a.local && b.local) return compare_pieces(*a.local, *b.local);
  return order(a.local.has_value(), b.local.has_value());
}

std::vector<Piece> pieces_of(std::string_view version) {
  constexpr std::string_view digits = "0123456789";
  const std::string ends_a_word = concat(digits, separators, white_space, '+');
  std::vector<Piece> pieces;
  while (!version.empty()) {
    const bool is_number = digits.find(version.front()) != std::string_view::npos;
    const auto end =
        std::min(is_number ? version.find_first_not_of(digits) : version.find_first_of(ends_a_word),
                 version.size());
    const std::string_view text = version.substr(0, end);
    if (!text.empty()) pieces.push_back({is_number, is_number ? number(text) : text});
    version.remove_prefix(std::max<std::size_t>(end, 1));
  }
  return pieces;
}

}  // namespace

bool is_pep440_version(std::string_view version) {
  const std::string text = folded(version);
  return Scanner(text).version().has_value();
}

int compare_python_versions(std::string_view a, std::string_view b) {
  const std::string x = folded(a);
  const std::string y = folded(b);
  const auto x_version = Scanner(x).version();
  const auto y_version = Scanner(y).version();
  if (x_version && y_version) return compare_pep440(*x_version, *y_version);
  if (x_version || y_version) return x_version ? 1 : -1;
  return compare_pieces(pieces_of(x), pieces_of(y));
}

}  // namespace topsctl

// The words of dpkg's field `Status`, and predicates on them.
#include "topsctl/base/dpkg_status.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// In the order of the enumerations.
constexpr std::array<std::string_view, 5> wants = {"unknown", "install", "hold", "deinstall",
                                                   "purge"};
constexpr std::array<std::string_view, 2> flags = {"ok", "reinstreq"};
constexpr std::array<std::string_view, 8> states = {
    "not-installed",   "config-files",     "half-installed",   "unpacked",
    "half-configured", "triggers-awaited", "triggers-pending", "installed"};

template <typename Value, std::size_t size>
std::optional<Value> value_of(const std::string& word,
                              const std::array<std::string_view, size>& words) {
  const auto found = std::find(words.begin(), words.end(), lower_case(word));
  if (found == words.end()) return std::nullopt;
  return static_cast<Value>(found - words.begin());
}

template <typename Value, std::size_t size>
std::string_view word_of(Value value, const std::array<std::string_view, size>& words) {
  return words.at(static_cast<std::size_t>(value));
}

}  // namespace

std::optional<DpkgStatus> parse_dpkg_status(std::string_view text) {
  std::vector<std::string> parts = split(std::string(text), ' ');
  std::erase(parts, std::string());
  if (parts.size() != 3) return std::nullopt;
  const auto want = value_of<DpkgWant>(parts[0], wants);
  const auto flag = value_of<DpkgFlag>(parts[1], flags);
  const auto state = value_of<DpkgState>(parts[2], states);
  if (!want || !flag || !state) return std::nullopt;
  return DpkgStatus{*want, *flag, *state};
}

std::string to_text(const DpkgStatus& status) {
  return concat(word_of(status.want, wants), " ", word_of(status.flag, flags), " ",
                word_of(status.state, states));
}

bool is_installed(const DpkgStatus& status) {
  return (status.want == DpkgWant::install || status.want == DpkgWant::hold) &&
         status.flag == DpkgFlag::ok && status.state == DpkgState::installed;
}

bool has_files(const DpkgStatus& status) {
  return status.state >= DpkgState::unpacked;
}

bool satisfies_dependencies(const DpkgStatus& status) {
  return status.state >= DpkgState::triggers_awaited;
}

bool is_unfinished(const DpkgStatus& status) {
  return status.flag != DpkgFlag::ok ||
         (status.state >= DpkgState::half_installed && status.state != DpkgState::installed);
}

}  // namespace topsctl

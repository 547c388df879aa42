// Reads targets as people write them.
#include "topsctl/model/target.hpp"

#include <algorithm>
#include <charconv>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

[[noreturn]] void reject(std::string_view text, const std::string& reason) {
  throw Error(ErrorCode::usage, format("invalid target {}: {}", in_quotes(text), reason),
              "write it as [USER@]HOST[:PORT][/CONTAINER], or local: for this host");
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

// Words that ssh, shells and container programs cannot misinterpret.
bool is_safe_name(std::string_view word) {
  constexpr std::size_t longest = 253;  // of a host name, RFC 1035
  return !word.empty() && word.size() <= longest && word.front() != '-' &&
         std::all_of(word.begin(), word.end(), is_name_character);
}

// An IPv6 address, optionally with a zone.
bool is_address(std::string_view word) {
  return !word.empty() && word.size() <= 64 && word.front() != '-' &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return is_name_character(c) || c == ':' || c == '%'; });
}

unsigned port_of(std::string_view digits, std::string_view text) {
  unsigned port = 0;
  const auto [end, problem] = std::from_chars(digits.begin(), digits.end(), port);
  constexpr unsigned highest = 65535;
  if (problem != std::errc() || end != digits.end() || port == 0 || port > highest)
    reject(text, "the port must be a number from 1 to 65535");
  return port;
}

}  // namespace

std::string Target::text() const {
  std::string shown = user.empty() ? "" : concat(user, "@");
  if (is_local())
    shown = "local:";
  else
    shown += host.find(':') == std::string::npos ? host : concat("[", host, "]");
  if (port != 0) shown += concat(":", port);
  if (!container.empty()) shown += concat("/", container);
  return shown;
}

Target parse_target(std::string_view text) {
  Target target;
  std::string_view rest = trimmed(text);
  if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
    // As scp(1) would have it.
    if (rest.substr(0, slash).ends_with(':') && !rest.starts_with("local:/"))
      reject(text, "a target has no path; `topsctl transfer` takes a directory with --dest");
    target.container = rest.substr(slash + 1);
    if (!is_safe_name(target.container)) reject(text, "invalid container name");
    rest = rest.substr(0, slash);
  }
  if (rest == "local:") return target;
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) {
    target.user = rest.substr(0, at);
    if (!is_safe_name(target.user)) reject(text, "invalid user name");
    rest = rest.substr(at + 1);
  }
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos) reject(text, "']' is missing");
    target.host = rest.substr(1, end - 1);
    rest = rest.substr(end + 1);
    if (!is_address(target.host)) reject(text, "expected an address in the brackets");
    if (!rest.empty() && rest.front() != ':') reject(text, "expected a port or nothing after ']'");
  } else {
    if (std::count(rest.begin(), rest.end(), ':') > 1)
      reject(text, "put an IPv6 address in brackets");
    const auto colon = std::min(rest.find(':'), rest.size());
    target.host = rest.substr(0, colon);
    rest = rest.substr(colon);
    if (!is_safe_name(target.host)) reject(text, "invalid host name");
  }
  if (!rest.empty()) target.port = port_of(rest.substr(1), text);
  return target;
}

std::vector<Target> parse_targets(std::string_view text, const std::string& source) {
  constexpr std::size_t most_targets = 10'000;
  std::vector<Target> targets;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::string_view word = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (word.empty()) continue;
    if (targets.size() == most_targets) {
      throw Error(ErrorCode::usage, format("{} has more than {} targets", source, most_targets),
                  "split the file");
    }
    try {
      targets.push_back(parse_target(word));
    } catch (const Error& error) {
      throw error.within(format("{}, line {}", source, number));
    }
  }
  if (targets.empty()) {
    throw Error(ErrorCode::usage, format("no target in {}", source),
                "write one target per line, [USER@]HOST[:PORT][/CONTAINER]");
  }
  return targets;
}

}  // namespace topsctl

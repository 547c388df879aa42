// Expands lists of hosts.
#include "topsctl/engine/cluster/host_names.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_name = 253;  // RFC 1035, 2.3.4
constexpr std::size_t most_digits = 9;

[[noreturn]] void refuse(std::string_view list, const std::string& why) {
  throw Error(ErrorCode::usage, format("invalid host list {}: {}", in_quotes(list), why),
              "use the Slurm form: 'n[00-15],m1'");
}

bool is_host_name(const std::string& name) {
  return !name.empty() && name.size() <= longest_name &&
         std::isalnum(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
         });
}

// Cut at commas outside of brackets.
std::vector<std::string> terms_of(std::string_view list) {
  std::vector<std::string> terms(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth < 0 || depth > 1) refuse(list, "brackets do not match");
    if (c == ',' && depth == 0)
      terms.emplace_back();
    else
      terms.back().push_back(c);
  }
  if (depth != 0) refuse(list, "brackets do not match");
  return terms;
}

std::size_t number_of(std::string_view list, std::string_view digits) {
  std::size_t number = 0;
  if (!is_digits(digits) || digits.size() > most_digits)
    refuse(list, format("{} is not a number", in_quotes(digits)));
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// "00-15" or "20"
std::vector<std::string> numbers_of(std::string_view list, const std::string& range) {
  const std::vector<std::string> ends = split(range, '-');
  if (ends.size() > 2) refuse(list, format("{} is not a range", in_quotes(range)));
  const std::size_t from = number_of(list, ends.front());
  const std::size_t to = number_of(list, ends.back());
  if (to < from) refuse(list, format("range {} is reversed", in_quotes(range)));
  if (to - from >= most_cluster_hosts)
    refuse(list, format("more than {} hosts", most_cluster_hosts));
  std::vector<std::string> numbers;
  for (std::size_t number = from; number <= to; ++number) {
    std::string digits = concat(number);
    if (digits.size() < ends.front().size())
      digits.insert(0, ends.front().size() - digits.size(), '0');
    numbers.push_back(std::move(digits));
  }
  return numbers;
}

// The name in parts: each with the number that follows it.
std::vector<std::pair<std::string, std::size_t>> natural_key(const std::string& name) {
  std::vector<std::pair<std::string, std::size_t>> key(1);
  bool was_digit = false;
  for (const char c : name) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (was_digit && !is_digit) key.emplace_back();
    if (is_digit)
      key.back().second = key.back().second * 10 + static_cast<std::size_t>(c - '0');
    else
      key.back().first.push_back(c);
    was_digit = is_digit;
  }
  return key;
}

}  // namespace

void sort_as_slurm(std::vector<std::string>& hosts) {
  std::stable_sort(hosts.begin(), hosts.end(), [](const std::string& a, const std::string& b) {
    return natural_key(a) < natural_key(b);
  });
}

std::vector<std::string> host_names_in(std::string_view list) {
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  const auto add = [&](std::string name) {
    if (!is_host_name(name)) refuse(list, format("invalid host name {}", in_quotes(name)));
    if (!seen.insert(name).second) refuse(list, format("{} is listed twice", in_quotes(name)));
    if (hosts.size() == most_cluster_hosts)
      refuse(list, format("more than {} hosts", most_cluster_hosts));
    hosts.push_back(std::move(name));
  };
  for (const std::string& term : terms_of(list)) {
    const auto open = term.find('[');
    if (open == std::string::npos) {
      add(term);
      continue;
    }
    const auto close = term.find(']');
    if (term.find('[', open + 1) != std::string::npos)
      refuse(list, format("{} has two pairs of brackets", in_quotes(term)));
    for (const std::string& range : split(term.substr(open + 1, close - open - 1), ',')) {
      for (const std::string& number : numbers_of(list, range))
        add(concat(term.substr(0, open), number, term.substr(close + 1)));
    }
  }
  return hosts;
}

}  // namespace topsctl

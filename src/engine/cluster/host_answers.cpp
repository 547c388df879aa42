// Parses the reports of hosts and compares them with that of the first.
#include "topsctl/engine/cluster/host_answers.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/engine/launch/node_place.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t tolerated_ms = 5000;  // between clocks

std::map<std::string, std::string> texts_by_key(const JsonReader& object) {
  std::map<std::string, std::string> texts;
  for (const std::string& key : object.keys())
    texts[printable(key)] = printable(object.at(key).text());
  return texts;
}

std::map<std::string, std::string> digests_in(const JsonReader& object) {
  constexpr std::size_t sha256_digits = 64;
  std::map<std::string, std::string> digests = texts_by_key(object);
  for (const auto& [path, digest] : digests) {
    if (digest.size() != sha256_digits || !bytes_of_hex(digest)) object.reject("invalid digest");
  }
  return digests;
}

std::string port_in(const JsonReader& reader) {
  constexpr std::size_t most_digits = 5;
  std::string port = reader.text();
  if (!is_digits(port) || port.size() > most_digits || std::stol(port) < 1 ||
      std::stol(port) > most_port)
    reader.reject("expected a port number");
  return port;
}

std::string host_word_in(const JsonReader& reader) {
  std::string word = reader.text();
  if (!is_host_word(word)) reader.reject("expected a host name or address");
  return word;
}

std::string text_at(const JsonReader& reader, const char* key) {
  const JsonReader value = reader.at(key);
  return value.is_null() ? std::string() : host_word_in(value);
}

// The difference between a host and the first one, as text.
using Difference = std::function<std::string(const HostAnswer& first, const HostAnswer& other)>;

std::vector<std::string> differences(const std::vector<HostAnswer>& answers,
                                     const Difference& difference) {
  std::vector<std::string> found;
  for (std::size_t i = 1; i < answers.size(); ++i) {
    const std::string what = difference(answers.front(), answers[i]);
    if (!what.empty()) found.push_back(format("{}: {}", answers[i].target, what));
  }
  return found;
}

std::string first_difference(const std::map<std::string, std::string>& first,
                             const std::map<std::string, std::string>& other,
                             const std::string& absent) {
  for (const auto& [key, value] : first) {
    const auto found = other.find(key);
    if (found == other.end()) return format("{} is {} on this host", key, absent);
    if (found->second != value) return key;
  }
  for (const auto& [key, value] : other) {
    if (!first.contains(key)) return format("{} is on this host only", key);
  }
  return {};
}

std::string other_version(const HostAnswer& first, const HostAnswer& other) {
  const std::string key = first_difference(first.versions, other.versions, "not installed");
  const auto here = first.versions.find(key);
  const auto there = other.versions.find(key);
  if (here == first.versions.end() || there == other.versions.end()) return key;
  return format("{} {}, on {} {}", key, there->second, first.target, here->second);
}

std::vector<std::string> equal_names(const std::vector<HostAnswer>& answers) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (answers[i].name == answers[j].name)
        found.push_back(format("{} and {} are both named {}", answers[j].target, answers[i].target,
                               answers[i].name));
    }
  }
  return found;
}

std::vector<std::string> refusals(const std::vector<HostAnswer>& answers) {
  std::vector<std::string> found;
  for (const HostAnswer& answer : answers) {
    if (!answer.refused.empty())
      found.push_back(format("{}: {}", answer.target, joined(answer.refused, ", ")));
  }
  return found;
}

}  // namespace

HostAnswer host_answer_in(std::string_view report, const std::string& target) {
  HostAnswer answer;
  answer.target = target;
  read_far_words(report, "the host's answer", [&](const JsonReader& reader) {
    const JsonReader host = reader.at("host");
    answer.name = host_word_in(host.at("name"));
    answer.address = text_at(host, "address");
    answer.digests = digests_in(host.at("digests"));
    answer.versions = texts_by_key(host.at("versions"));
    const JsonReader plan = reader.at("plan");
    answer.python = plan.at("python").text();
    answer.engine = plan.at("engine").text_of({"torchrun", "topsctl"});
    answer.ranks = plan.at("ranks").integer(1, most_ranks);
    answer.free_port = port_in(plan.at("master_port"));
    for (const std::string& id : reader.texts_at("refused"))
      answer.refused.push_back(printable(id));
  });
  return answer;
}

std::vector<CheckResult> agreement_of(const std::vector<HostAnswer>& answers) {
  std::vector<CheckResult> checks;
  const auto check_of = [&](const char* id, const std::string& expected, const std::string& hint,
                            const std::vector<std::string>& problems) {
    CheckResult check;
    check.id = id;
    check.level = CheckLevel::files;
    check.expected = expected;
    check.status = problems.empty() ? CheckStatus::pass : CheckStatus::fail;
    check.observed = problems.empty() ? counted(answers.size(), "host") : joined(problems, "; ");
    if (!problems.empty()) check.hint = hint;
    return check;
  };
  checks.push_back(check_of("hosts-ready", "each host is ready",
                            "run `topsctl launch --dry-run` on the host to see why",
                            refusals(answers)));
  checks.push_back(check_of("hosts-names", "each host has its own name",
                            "give each host its own name: hostnamectl set-hostname NAME",
                            equal_names(answers)));
  checks.push_back(
      check_of("hosts-clocks", "the clocks differ by less than 5 s",
               "set the clocks, or the logs will show events in the wrong order",
               differences(answers, [](const HostAnswer& first, const HostAnswer& other) {
                 const std::int64_t ahead_ms = other.clock_offset_ms - first.clock_offset_ms;
                 if (std::abs(ahead_ms) < tolerated_ms) return std::string();
                 const std::string time = human_duration(std::abs(ahead_ms));
                 return ahead_ms > 0 ? format("{} ahead", time) : format("{} behind", time);
               })));
  checks.push_back(
      check_of("hosts-scripts", "script and configuration are the same on all hosts",
               "copy them from one host to the others, or start them from a shared directory",
               differences(answers, [](const HostAnswer& first, const HostAnswer& other) {
                 const std::string key = first_difference(first.digests, other.digests, "not");
                 return first.digests.contains(key) ? format("{} differs", key) : key;
               })));
  checks.push_back(check_of("hosts-versions", "the stack is the same on all hosts",
                            "install the same stack on all hosts: topsctl deploy",
                            differences(answers, other_version)));
  checks.push_back(
      check_of("hosts-engines", "the launch engine is the same on all hosts",
               "install the same PyTorch on all hosts",
               differences(answers, [](const HostAnswer& first, const HostAnswer& other) {
                 return first.engine == other.engine ? std::string() : other.engine;
               })));
  checks.push_back(check_of(
      "hosts-ranks", "each host starts the same number of ranks",
      "give the number of ranks: --nproc N, or the cards: --cards LIST",
      differences(answers, [](const HostAnswer& first, const HostAnswer& other) {
        return first.ranks == other.ranks ? std::string()
                                          : counted(static_cast<std::size_t>(other.ranks), "rank");
      })));
  return checks;
}

}  // namespace topsctl

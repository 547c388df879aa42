// Reports of hosts before a common training, and whether they agree. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/check.hpp"

namespace topsctl {

struct HostAnswer {
  std::string target;   // as given
  std::string name;     // the host's own name
  std::string address;  // address of its SSH server; empty: unknown
  std::string python;
  std::string engine;
  std::int64_t ranks = 0;
  std::string free_port;                        // a port that was free on the host
  std::int64_t clock_offset_ms = 0;             // positive: its clock is ahead
  std::map<std::string, std::string> digests;   // SHA-256 of script and configuration, by path
  std::map<std::string, std::string> versions;  // of topsctl, interpreter, packages and wheels
  std::vector<std::string> refused;             // ids of failed checks on the host
};

// Parses the report of `topsctl launch --dry-run --json`. Throws Error{unreachable} if it is
// invalid.
HostAnswer host_answer_in(std::string_view report, const std::string& target);

// Compares clocks, names, scripts, versions, engines and rank counts, and lists failed checks: one
// check per property, which names the hosts that differ from the first.
std::vector<CheckResult> agreement_of(const std::vector<HostAnswer>& answers);

}  // namespace topsctl

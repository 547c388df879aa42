// What hosts say before a training is started on all of them, and whether they fit together. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/check.hpp"

namespace topsctl {

struct HostAnswer {
  std::string target;   // as it was named
  std::string name;     // by its own account
  std::string address;  // by which its SSH server was reached; empty: unknown
  std::string python;
  std::string engine;
  std::int64_t ranks = 0;
  std::string free_port;                        // one that nobody had there
  std::int64_t clock_offset_ms = 0;             // by which its clock is ahead of ours
  std::map<std::string, std::string> digests;   // SHA-256 of script and configuration, by path
  std::map<std::string, std::string> versions;  // of topsctl, interpreter, packages and wheels
  std::vector<std::string> refused;             // ids of what fails there
};

// From the report of `topsctl launch --dry-run --json`. Throws Error{unreachable} if it is none.
HostAnswer host_answer_in(std::string_view report, const std::string& target);

// Clocks, names, scripts, versions, engines and numbers of ranks, and what each host refuses: one
// check of each, which names the hosts that differ from the first.
std::vector<CheckResult> agreement_of(const std::vector<HostAnswer>& answers);

}  // namespace topsctl

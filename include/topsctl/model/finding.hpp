// A finding: a fact about a bundle or host that the operator should know, with evidence and remedy.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

enum class Severity { info, warning, error, critical };
std::string_view name(Severity severity);

struct Evidence {
  std::string source;
  int line = 0;  // 0: no line
  std::string text;
  bool operator==(const Evidence&) const = default;
};

enum class Risk { none, restart_job, restart_service, reboot };
std::string_view name(Risk risk);

struct Remedy {
  std::string text;
  std::string command;  // empty: none
  Risk risk = Risk::none;
  bool operator==(const Remedy&) const = default;
};

struct Finding {
  std::string id;
  Severity severity = Severity::info;
  std::string title;
  std::string subject;
  std::vector<Evidence> evidence;
  std::string cause;
  Remedy remedy;
  bool operator==(const Finding&) const = default;
};

// Worst first, then by id, then by subject.
void sort_findings(std::vector<Finding>& findings);

Json to_json(const Finding& finding);

}  // namespace topsctl

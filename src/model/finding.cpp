// Names, order and JSON form of findings.
#include "topsctl/model/finding.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace topsctl {

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
    case Severity::critical:
      return "critical";
  }
  return "info";
}

std::string_view name(Risk risk) {
  switch (risk) {
    case Risk::none:
      return "none";
    case Risk::restart_job:
      return "restart-job";
    case Risk::restart_service:
      return "restart-service";
    case Risk::reboot:
      return "reboot";
  }
  return "none";
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(b.severity, a.id, a.subject) < std::tie(a.severity, b.id, b.subject);
  });
}

Json to_json(const Finding& finding) {
  Json evidence = Json::array();
  for (const Evidence& piece : finding.evidence) {
    evidence.push_back({{"source", piece.source},
                        {"line", piece.line > 0 ? Json(piece.line) : Json(nullptr)},
                        {"text", piece.text}});
  }
  const Remedy& remedy = finding.remedy;
  return {{"id", finding.id},
          {"severity", name(finding.severity)},
          {"title", finding.title},
          {"subject", finding.subject},
          {"evidence", std::move(evidence)},
          {"cause", finding.cause},
          {"remedy",
           {{"text", remedy.text},
            {"command", remedy.command.empty() ? Json(nullptr) : Json(remedy.command)},
            {"risk", name(remedy.risk)}}}};
}

}  // namespace topsctl

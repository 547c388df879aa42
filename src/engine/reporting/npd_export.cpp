// Writes rules in the form of node-problem-detector (its config/abrt-adaptor.json and others).
#include "topsctl/engine/reporting/npd_export.hpp"

#include <cctype>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// "peer-died" -> "PeerDied", as reasons of events are written.
std::string reason_of(const std::string& id) {
  std::string reason;
  bool is_begin = true;
  for (const char c : id) {
    if (c != '-')
      reason.push_back(is_begin ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                                : c);
    is_begin = c == '-';
  }
  return reason;
}

}  // namespace

Json npd_configuration(const DiagnosisCatalogue& catalogue) {
  Json rules = Json::array();
  for (const Diagnosis& diagnosis : catalogue.diagnoses) {
    for (const std::string& pattern : diagnosis.log) {
      const bool spans_lines = pattern.find("(?s)") != std::string::npos;
      if (spans_lines || diagnosis.is_effect) continue;
      rules.push_back({{"type", "temporary"},
                       {"reason", reason_of(diagnosis.finding.id)},
                       {"pattern", concat(".*", pattern, ".*")}});
    }
  }
  return {
      {"plugin", "filelog"},
      {"pluginConfig",
       {{"timestamp", "^.{19}"}, {"message", ".*"}, {"timestampFormat", "2006-01-02 15:04:05"}}},
      {"logPath", "/var/log/training.log"},
      {"lookback", "5m"},
      {"bufferSize", 10},
      {"source", "topsctl-doctor"},
      {"metricsReporting", true},
      {"conditions", Json::array()},
      {"rules", std::move(rules)}};
}

}  // namespace topsctl

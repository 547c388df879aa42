// Reads the catalogue of findings from the embedded data, once.
#include "topsctl/model/finding_catalogue.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"
#include "topsctl/model/script_rule.hpp"

namespace topsctl {

namespace {

template <class Value>
Value named(const JsonReader& reader, std::initializer_list<Value> values) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name(value));
  const std::string wanted = reader.text_of(names);
  for (const Value value : values) {
    if (wanted == name(value)) return value;
  }
  reader.reject("unknown name");
}

}  // namespace

Severity read_severity(const JsonReader& reader) {
  return named(reader, {Severity::info, Severity::warning, Severity::error, Severity::critical});
}

Risk read_risk(const JsonReader& reader) {
  return named(reader, {Risk::none, Risk::restart_job, Risk::restart_service, Risk::reboot});
}

Remedy read_remedy(const JsonReader& reader) {
  reader.expect_keys({"text", "command", "risk"});
  Remedy remedy;
  remedy.text = reader.at("text").text();
  const JsonReader command = reader.at("command");
  if (!command.is_null()) remedy.command = command.text();
  remedy.risk = read_risk(reader.at("risk"));
  return remedy;
}

std::vector<Finding> parse_findings(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader top(document, source);
  std::vector<Finding> findings;
  for (const std::string& id : top.keys()) {
    const JsonReader entry = top.at(id);
    entry.expect_keys({"severity", "title", "cause", "remedy"});
    Finding finding;
    finding.id = id;
    finding.severity = read_severity(entry.at("severity"));
    finding.title = entry.at("title").text();
    finding.cause = entry.at("cause").text();
    finding.remedy = read_remedy(entry.at("remedy"));
    findings.push_back(std::move(finding));
  }
  return findings;
}

namespace {

using Catalogue = std::map<std::string, Finding, std::less<>>;

void add(Catalogue& catalogue, std::vector<Finding> findings) {
  for (Finding& finding : findings) {
    const std::string id = finding.id;
    if (!catalogue.emplace(id, std::move(finding)).second) {
      throw Error(ErrorCode::internal, format("finding {} is duplicated", in_quotes(id)));
    }
  }
}

Catalogue read_catalogue() {
  Catalogue catalogue;
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name.starts_with("findings/")) {
      add(catalogue, parse_findings(file.bytes, std::string(file.name)));
    }
  }
  std::vector<Finding> of_rules;
  for (const ScriptRule& rule : script_rules()) of_rules.push_back(rule.finding);
  add(catalogue, std::move(of_rules));
  return catalogue;
}

const Catalogue& catalogue() {
  static const Catalogue findings = read_catalogue();
  return findings;
}

}  // namespace

Finding make_finding(std::string_view id, std::string subject, std::vector<Evidence> evidence) {
  const auto found = catalogue().find(id);
  if (found == catalogue().end()) {
    throw Error(ErrorCode::internal, format("unknown finding id {}", in_quotes(id)));
  }
  Finding finding = found->second;
  finding.title = translated(finding.title);
  finding.cause = translated(finding.cause);
  finding.remedy.text = translated(finding.remedy.text);
  finding.subject = std::move(subject);
  finding.evidence = std::move(evidence);
  return finding;
}

std::vector<std::string> finding_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, finding] : catalogue()) ids.push_back(id);
  return ids;
}

}  // namespace topsctl

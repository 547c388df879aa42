// Reads the rules for maintainer scripts.
#include "topsctl/model/script_rule.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/catalogue/named_patterns.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr std::string_view rules_file = "rules/maintainer-scripts.json";

ScriptRule read_rule(const JsonReader& reader, const PatternNames& names) {
  reader.expect_keys({"id", "severity", "title", "when", "applies_to", "pattern", "unless",
                      "unless_own", "unless_found", "why", "remedy", "example_match",
                      "example_no_match"});
  ScriptRule rule;
  rule.finding.id = reader.at("id").text();
  if (!rule.finding.id.starts_with("script-")) reader.at("id").reject("expected 'script-...'");
  rule.finding.severity = read_severity(reader.at("severity"));
  rule.finding.title = reader.at("title").text();
  rule.finding.cause = reader.at("why").text();
  rule.finding.remedy = read_remedy(reader.at("remedy"));
  if (const auto when = reader.find("when")) {
    when->text_of({"missing"});
    rule.when = ScriptRule::When::missing;
  }
  if (const auto scripts = reader.find("applies_to")) {
    for (const JsonReader& script : scripts->items()) {
      rule.applies_to.push_back(
          script.text_of({"preinst", "postinst", "prerm", "postrm", "config", called_program}));
    }
  }
  rule.pattern = read_pattern(reader.at("pattern"), names);
  if (const auto unless = reader.find("unless")) rule.unless = read_pattern(*unless, names);
  if (const auto own = reader.find("unless_own")) rule.unless_own = own->boolean();
  if (const auto others = reader.find("unless_found")) rule.unless_found = others->texts();
  rule.example_match = reader.at("example_match").texts();
  rule.example_no_match = reader.at("example_no_match").texts();
  return rule;
}

}  // namespace

std::vector<ScriptRule> parse_script_rules(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader top(document, source);
  top.expect_keys({"names", "rules"});
  const PatternNames names = read_pattern_names(top.at("names"));
  std::vector<ScriptRule> rules;
  std::vector<std::string> ids;
  for (const JsonReader& record : top.at("rules").items()) {
    ScriptRule rule = read_rule(record, names);
    for (const std::string& other : rule.unless_found) {
      if (std::find(ids.begin(), ids.end(), other) == ids.end()) {
        record.at("unless_found").reject(format("no earlier rule {}", in_quotes(other)));
      }
    }
    ids.push_back(rule.finding.id);
    rules.push_back(std::move(rule));
  }
  return rules;
}

const std::vector<ScriptRule>& script_rules() {
  static const std::vector<ScriptRule> rules = [] {
    const auto json = embedded_file(rules_file);
    if (!json) throw Error(ErrorCode::internal, format("{} is missing", in_quotes(rules_file)));
    return parse_script_rules(*json, std::string(rules_file));
  }();
  return rules;
}

}  // namespace topsctl

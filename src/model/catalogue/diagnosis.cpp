// Reads the catalogue of diagnoses.
#include "topsctl/model/catalogue/diagnosis.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/catalogue/named_patterns.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {

namespace {

std::vector<std::string> patterns_of(const JsonReader& record, const std::string& key,
                                     const PatternNames& names) {
  std::vector<std::string> patterns;
  if (const auto list = record.find(key)) {
    for (const JsonReader& pattern : list->items())
      patterns.push_back(read_pattern(pattern, names));
  }
  return patterns;
}

SignalCondition read_condition(const JsonReader& reader) {
  using Comparison = SignalCondition::Comparison;
  reader.expect_keys({"signal", "equals", "differs", "below", "above"});
  SignalCondition condition;
  condition.signal = reader.at("signal").text();
  int comparisons = 0;
  for (const auto& [key, comparison] :
       {std::pair("equals", Comparison::equals), std::pair("differs", Comparison::differs),
        std::pair("below", Comparison::below), std::pair("above", Comparison::above)}) {
    const auto value = reader.find(key);
    if (!value) continue;
    condition.comparison = comparison;
    condition.value = value->text();
    ++comparisons;
  }
  if (comparisons != 1) reader.reject("expected one of equals, differs, below, above");
  return condition;
}

void read_texts(const JsonReader& record, Diagnosis& diagnosis) {
  Finding& finding = diagnosis.finding;
  finding.title = record.at("title").text();
  finding.cause = record.at("cause").text();
  diagnosis.chinese.title = record.at("title_zh").text();
  diagnosis.chinese.cause = record.at("cause_zh").text();
  const JsonReader remedy = record.at("remedy");
  remedy.expect_keys({"text", "text_zh", "command", "risk"});
  finding.remedy.text = remedy.at("text").text();
  diagnosis.chinese.remedy = remedy.at("text_zh").text();
  const JsonReader command = remedy.at("command");
  if (!command.is_null()) finding.remedy.command = command.text();
  finding.remedy.risk = read_risk(remedy.at("risk"));
}

void read_look_for(const JsonReader& reader, const PatternNames& names, Diagnosis& diagnosis) {
  reader.expect_keys({"log", "machine", "severity_on_host", "source"});
  diagnosis.log = patterns_of(reader, "log", names);
  if (const auto conditions = reader.find("machine")) {
    for (const JsonReader& condition : conditions->items())
      diagnosis.machine.push_back(read_condition(condition));
  }
  if (const auto severity = reader.find("severity_on_host"))
    diagnosis.severity_on_host = read_severity(*severity);
  diagnosis.source = reader.texts_at("source");
  if (diagnosis.log.empty() && diagnosis.machine.empty() && diagnosis.source.empty())
    reader.reject("nothing to look for: expected log, machine or source");
}

Diagnosis read_diagnosis(const JsonReader& record, const PatternNames& names) {
  record.expect_keys({"id", "severity", "title", "title_zh", "cause", "cause_zh", "remedy",
                      "backend", "explains", "is_effect", "is_last_resort", "passes",
                      "disturbs_jobs", "restart_helps", "look_for", "unless", "refs",
                      "example_match", "example_no_match"});
  Diagnosis diagnosis;
  const JsonReader id = record.at("id");
  diagnosis.finding.id = id.text();
  if (diagnosis.finding.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") !=
      std::string::npos)
    id.reject("expected a-z, 0-9 and - only");
  diagnosis.finding.severity = read_severity(record.at("severity"));
  read_texts(record, diagnosis);
  if (const auto backend = record.find("backend")) diagnosis.backend = backend->text();
  diagnosis.explains = record.texts_at("explains");
  diagnosis.is_effect = record.flag_at("is_effect");
  diagnosis.is_last_resort = record.flag_at("is_last_resort");
  diagnosis.passes = record.flag_at("passes");
  diagnosis.disturbs_jobs = record.flag_at("disturbs_jobs");
  diagnosis.restart_helps = record.flag_at("restart_helps");
  read_look_for(record.at("look_for"), names, diagnosis);
  if (const auto unless = record.find("unless")) diagnosis.unless = read_pattern(*unless, names);
  diagnosis.refs = record.texts_at("refs");
  diagnosis.example_match = record.at("example_match").texts();
  diagnosis.example_no_match = record.at("example_no_match").texts();
  return diagnosis;
}

// Replaces those of the same id.
void take(std::vector<Diagnosis>& diagnoses, Diagnosis diagnosis, bool is_for_any) {
  const auto is_replaced = [&](const Diagnosis& each) {
    return each.finding.id == diagnosis.finding.id &&
           ((is_for_any && diagnosis.backend.empty()) || each.backend == diagnosis.backend);
  };
  const auto place = std::find_if(diagnoses.begin(), diagnoses.end(), is_replaced);
  if (place == diagnoses.end()) {
    diagnoses.push_back(std::move(diagnosis));
    return;
  }
  diagnoses.erase(std::remove_if(place + 1, diagnoses.end(), is_replaced), diagnoses.end());
  *place = std::move(diagnosis);
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

const Diagnosis* DiagnosisCatalogue::find(std::string_view id) const {
  const auto found = std::find_if(diagnoses.begin(), diagnoses.end(),
                                  [&](const Diagnosis& each) { return each.finding.id == id; });
  return found == diagnoses.end() ? nullptr : &*found;
}

void add_diagnoses(DiagnosisCatalogue& catalogue, std::string_view json,
                   const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader top(document, source);
  top.expect_keys({"names", "signs", "diagnoses"});
  PatternNames names;
  if (const auto given = top.find("names")) names = read_pattern_names(*given);
  if (const auto signs = top.find("signs")) {
    signs->expect_keys({"progress", "success", "failure", "setback", "restart", "data"});
    append(catalogue.signs.progress, patterns_of(*signs, "progress", names));
    append(catalogue.signs.success, patterns_of(*signs, "success", names));
    append(catalogue.signs.failure, patterns_of(*signs, "failure", names));
    append(catalogue.signs.setback, patterns_of(*signs, "setback", names));
    append(catalogue.signs.restart, patterns_of(*signs, "restart", names));
    append(catalogue.signs.data, patterns_of(*signs, "data", names));
  }
  const auto records = top.find("diagnoses");
  if (!records) return;
  for (const JsonReader& record : records->items()) {
    take(catalogue.diagnoses, read_diagnosis(record, names), false);
  }
}

void add_diagnoses(DiagnosisCatalogue& catalogue, DiagnosisCatalogue more) {
  append(catalogue.signs.progress, std::move(more.signs.progress));
  append(catalogue.signs.success, std::move(more.signs.success));
  append(catalogue.signs.failure, std::move(more.signs.failure));
  append(catalogue.signs.setback, std::move(more.signs.setback));
  append(catalogue.signs.restart, std::move(more.signs.restart));
  append(catalogue.signs.data, std::move(more.signs.data));
  for (Diagnosis& diagnosis : more.diagnoses) take(catalogue.diagnoses, std::move(diagnosis), true);
}

DiagnosisCatalogue for_backend(const DiagnosisCatalogue& catalogue, std::string_view backend) {
  std::set<std::string_view> own;
  for (const Diagnosis& each : catalogue.diagnoses) {
    if (!each.backend.empty() && each.backend == backend) own.insert(each.finding.id);
  }
  DiagnosisCatalogue chosen;
  chosen.signs = catalogue.signs;
  for (const Diagnosis& each : catalogue.diagnoses) {
    const bool is_meant =
        each.backend.empty() ? !own.contains(each.finding.id) : each.backend == backend;
    if (is_meant) chosen.diagnoses.push_back(each);
  }
  return chosen;
}

void require_known_ids(const DiagnosisCatalogue& catalogue, const std::string& source) {
  for (const Diagnosis& diagnosis : catalogue.diagnoses) {
    for (const std::string& id : diagnosis.explains) {
      if (catalogue.find(id) != nullptr) continue;
      throw Error(ErrorCode::bad_stack,
                  format("cannot read {}: {} explains {}, which is not a diagnosis", source,
                         in_quotes(diagnosis.finding.id), in_quotes(id)),
                  "list the ids with `topsctl doctor --list`");
    }
  }
}

const DiagnosisCatalogue& built_in_diagnoses() {
  static const DiagnosisCatalogue catalogue = [] {
    DiagnosisCatalogue made;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.name.starts_with("diagnoses/"))
        add_diagnoses(made, file.bytes, std::string(file.name));
    }
    require_known_ids(made, "the built-in diagnoses");
    return made;
  }();
  return catalogue;
}

Finding finding_in(const Diagnosis& diagnosis, Language language) {
  Finding finding = diagnosis.finding;
  if (language == Language::chinese) {
    finding.title = diagnosis.chinese.title;
    finding.cause = diagnosis.chinese.cause;
    finding.remedy.text = diagnosis.chinese.remedy;
  }
  return finding;
}

}  // namespace topsctl

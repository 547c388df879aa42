// Loads the catalogue of variables from the embedded data, once, and checks values by it.
#include "topsctl/model/variable_catalogue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

template <class Value, std::size_t Size>
Value named_record(const JsonReader& reader, const std::array<Value, Size>& values) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name(value));
  const std::string wanted = reader.text_of(names);
  const auto found = std::find(names.begin(), names.end(), wanted);
  return values.at(static_cast<std::size_t>(found - names.begin()));
}

KnownVariable parse_known_variable(const JsonReader& reader) {
  reader.expect_keys(
      {"name", "grade", "type", "values", "least", "most", "generation", "where", "source"});
  KnownVariable variable;
  variable.name = reader.at("name").text();
  variable.grade =
      named_record(reader.at("grade"), std::array{VariableGrade::attested, VariableGrade::plausible,
                                                  VariableGrade::unknown, VariableGrade::wrong});
  variable.type = named_record(
      reader.at("type"),
      std::array{VariableType::boolean, VariableType::integer, VariableType::text,
                 VariableType::choice, VariableType::list, VariableType::folder, VariableType::file,
                 VariableType::devices, VariableType::search_path});
  if (const auto values = reader.find("values")) variable.values = values->texts();
  if (variable.type == VariableType::choice && variable.values.empty())
    reader.reject("a choice needs 'values'");
  if (const auto least = reader.find("least")) variable.least = least->integer(0, INT64_MAX);
  if (const auto most = reader.find("most")) variable.most = most->integer(0, INT64_MAX);
  variable.generation = reader.at("generation").text_of({"t2x", "s60", "all"});
  variable.is_of_process =
      reader.at("where").text_of({"process", "container-runtime"}) == "process";
  variable.source = reader.at("source").text();
  return variable;
}

VariableRelation parse_relation(const JsonReader& reader) {
  reader.expect_keys({"when", "is", "other", "wish", "value", "severity", "why"});
  VariableRelation relation;
  relation.name = reader.at("when").text();
  relation.value = reader.at("is").text();
  relation.other = reader.at("other").text();
  const std::string wish = reader.at("wish").text_of({"is", "is-not", "is-set"});
  relation.wish = wish == "is"       ? VariableRelation::Wish::is
                  : wish == "is-not" ? VariableRelation::Wish::is_not
                                     : VariableRelation::Wish::is_set;
  if (relation.wish != VariableRelation::Wish::is_set) relation.wanted = reader.at("value").text();
  relation.is_error = reader.at("severity").text_of({"error", "warning"}) == "error";
  relation.why = reader.at("why").text();
  return relation;
}

std::optional<std::int64_t> whole_number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

bool are_devices(std::string_view text) {
  if (text == "all" || text == "none" || text == "void" || text.empty()) return true;
  const std::vector<std::string> devices = split(text, ',');
  return std::all_of(devices.begin(), devices.end(), [](const std::string& device) {
    return is_digits(device) || device.starts_with("GCU-") || device.starts_with("DRS-") ||
           device.starts_with("GPU-") || device.starts_with("MIG-");
  });
}

}  // namespace

std::string_view name(VariableGrade grade) {
  switch (grade) {
    case VariableGrade::attested:
      return "attested";
    case VariableGrade::plausible:
      return "plausible";
    case VariableGrade::unknown:
      return "unknown";
    case VariableGrade::wrong:
      return "wrong";
  }
  return "unknown";
}

std::string_view name(VariableType type) {
  switch (type) {
    case VariableType::boolean:
      return "boolean";
    case VariableType::integer:
      return "integer";
    case VariableType::text:
      return "text";
    case VariableType::choice:
      return "choice";
    case VariableType::list:
      return "list";
    case VariableType::folder:
      return "folder";
    case VariableType::file:
      return "file";
    case VariableType::devices:
      return "devices";
    case VariableType::search_path:
      return "search-path";
  }
  return "text";
}

const KnownVariable* VariableCatalogue::find(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : &found->second;
}

bool VariableCatalogue::concerns(std::string_view name) const {
  const auto begins = [&](const VariablePrefix& prefix) { return name.starts_with(prefix.text); };
  return find(name) != nullptr || std::any_of(prefixes.begin(), prefixes.end(), begins) ||
         name.ends_with("_VISIBLE_DEVICES");
}

bool VariableCatalogue::is_of(std::string_view name, std::string_view backend) const {
  if (const KnownVariable* known = find(name))
    return known->backend.empty() || known->backend == backend;
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(),
                                   [&](const auto& each) { return name.starts_with(each.text); });
  return prefix == prefixes.end() || prefix->backend.empty() || prefix->backend == backend;
}

std::optional<std::string> VariableCatalogue::nearly(std::string_view name,
                                                     std::string_view backend) const {
  std::vector<std::string> names;
  for (const auto& [known, variable] : variables) {
    if (variable.grade == VariableGrade::attested && is_of(known, backend)) names.push_back(known);
  }
  const auto found = nearest(name, names);
  // At most two letters: short names have many neighbours with another meaning.
  if (!found || edit_distance(lower_case(name), lower_case(*found)) > 2) return std::nullopt;
  return found;
}

void add_variables(std::string_view json, const std::string& source, VariableCatalogue& catalogue) {
  const Json document = parse_json(json, source);
  const JsonReader top(document, source);
  top.expect_keys({"backend", "prefixes", "files", "folder_words", "variables", "relations"});
  const auto of_one = top.find("backend");
  const std::string backend = of_one ? of_one->text() : std::string();
  const auto take = [&](const char* key, std::vector<std::string>& to) {
    for (std::string& text : top.at(key).texts()) to.push_back(std::move(text));
  };
  for (std::string& prefix : top.at("prefixes").texts())
    catalogue.prefixes.push_back({std::move(prefix), backend});
  take("files", catalogue.files);
  take("folder_words", catalogue.folder_words);
  for (const JsonReader& item : top.at("variables").items()) {
    KnownVariable variable = parse_known_variable(item);
    variable.backend = backend;
    const std::string known = variable.name;
    if (!catalogue.variables.emplace(known, std::move(variable)).second)
      item.reject(format("{} is duplicated", in_quotes(known)));
  }
  const auto relations = top.find("relations");
  if (!relations) return;
  for (const JsonReader& item : relations->items()) {
    VariableRelation relation = parse_relation(item);
    relation.backend = backend;
    for (const std::string& each : {relation.name, relation.other}) {
      if (catalogue.find(each) == nullptr)
        item.reject(format("unknown variable {}", in_quotes(each)));
    }
    catalogue.relations.push_back(std::move(relation));
  }
}

const VariableCatalogue& variable_catalogue() {
  static const VariableCatalogue catalogue = [] {
    VariableCatalogue read;
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.name.starts_with("variables/"))
        add_variables(file.bytes, std::string(file.name), read);
    }
    return read;
  }();
  return catalogue;
}

std::string VariableRelation::wanted_text() const {
  switch (wish) {
    case Wish::is:
      return format("{}={}", other, wanted);
    case Wish::is_not:
      return format("no {}={}", other, wanted);
    case Wish::is_set:
      return format("{} set", other);
  }
  return {};
}

bool holds(const VariableRelation& relation, const std::vector<std::string>& values_of_other) {
  const auto has = [&](const auto& test) {
    return std::any_of(values_of_other.begin(), values_of_other.end(), test);
  };
  const auto is_wanted = [&](const std::string& value) { return value == relation.wanted; };
  switch (relation.wish) {
    case VariableRelation::Wish::is:
      return has(is_wanted);
    case VariableRelation::Wish::is_not:
      return !has(is_wanted);
    case VariableRelation::Wish::is_set:
      return has([](const std::string& value) { return !value.empty(); });
  }
  return true;
}

std::string objection_to(const KnownVariable& variable, std::string_view value) {
  if (variable.type == VariableType::boolean) {
    const std::string word = lower_case(value);
    if (word == "true" || word == "false" || word == "0" || word == "1") return {};
    return "expected true or false";
  }
  if (variable.type == VariableType::choice) {
    const bool is_one =
        std::any_of(variable.values.begin(), variable.values.end(),
                    [&](const std::string& each) { return lower_case(each) == lower_case(value); });
    return is_one ? std::string() : format("expected {}", joined(variable.values, ", "));
  }
  if (variable.type == VariableType::devices)
    return are_devices(value) ? "" : "expected card numbers separated by commas";
  if (variable.type != VariableType::integer) return {};
  const auto number = whole_number_in(value);
  if (!number) return "expected an integer";
  const bool is_low = variable.least && *number < *variable.least;
  const bool is_high = variable.most && *number > *variable.most;
  if (!is_low && !is_high) return {};
  return variable.most ? format("expected an integer from {} to {}", variable.least.value_or(0),
                                *variable.most)
                       : format("expected an integer of at least {}", variable.least.value_or(0));
}

}  // namespace topsctl

// Strict reading of stack files.
#include "topsctl/model/stack/stack_parser.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/json_reader.hpp"
#include "topsctl/model/stack/stack_release.hpp"
#include "topsctl/model/stack/stack_words.hpp"

namespace topsctl {

namespace {

std::string optional_line(const JsonReader& reader, const std::string& key) {
  const auto found = reader.find(key);
  return found ? one_line(*found) : std::string();
}

template <class Item, class Key>
void refuse_twice(const JsonReader& reader, const std::vector<Item>& items, Key key) {
  std::vector<std::string> seen;
  for (const Item& item : items) {
    if (std::find(seen.begin(), seen.end(), item.*key) != seen.end()) {
      reader.reject(format("{} is duplicated", in_quotes(item.*key)));
    }
    seen.push_back(item.*key);
  }
}

std::string number(const JsonReader& reader) {
  std::string text = reader.text();
  if (numbers_of(text) != std::vector<std::string>{text}) {
    reader.reject(format("expected a number such as \"2.5\", got {}", in_quotes(text)));
  }
  return text;
}

VersionRange parse_range(const JsonReader& reader) {
  VersionRange range{number(reader.at("from")), number(reader.at("below"))};
  if (!is_within(range, range.from)) reader.reject("expected 'from' to be lower than 'below'");
  return range;
}

ReleaseRules parse_releases(const JsonReader& reader) {
  reader.expect_keys({"from", "below", "tested"});
  ReleaseRules rules{parse_range(reader), {}};
  for (const JsonReader& item : reader.at("tested").items()) {
    rules.tested.push_back(number(item));
    if (!is_within(rules.range, rules.tested.back()))
      item.reject("expected a release between 'from' and 'below'");
  }
  return rules;
}

std::string component_version(const JsonReader& reader, const ReleaseRules& releases) {
  std::string text = one_line(reader);
  if (text.find('{') == std::string::npos) return text;
  if (text != release_placeholder && text != series_placeholder) {
    reader.reject(format("expected a version, {} or {}, got {}", release_placeholder,
                         series_placeholder, in_quotes(text)));
  }
  if (releases.range.from.empty()) reader.reject("the stack has no 'releases'");
  return text;
}

Component parse_component(const JsonReader& reader, const ReleaseRules& releases) {
  reader.expect_keys(
      {"id", "kind", "names", "archives", "prefix", "version", "within", "required", "beside"});
  Component component;
  component.id = identifier(reader.at("id"));
  const std::string kind = reader.at("kind").text_of({"deb", "wheel", "tree"});
  component.kind = kind == "wheel" ? PackageKind::wheel : PackageKind::deb;
  if (kind != "tree") {
    for (const char* key : {"archives", "prefix"}) {
      if (const auto other = reader.find(key)) other->reject("only a tree can have it");
    }
  } else {
    for (const JsonReader& name : reader.at("archives").items())
      component.tree.archives.push_back(identifier(name));
    if (component.tree.archives.empty()) reader.at("archives").reject("expected at least one name");
    component.tree.prefix = absolute_path(reader.at("prefix"));
  }
  for (const JsonReader& name : reader.at("names").items()) {
    component.names.push_back(identifier(name));
  }
  if (component.names.empty()) reader.at("names").reject("expected at least one name");
  if (const auto version = reader.find("version"))
    component.version = component_version(*version, releases);
  if (const auto within = reader.find("within")) {
    within->expect_keys({"from", "below"});
    component.within = parse_range(*within);
  }
  if (const auto required = reader.find("required")) component.required = required->boolean();
  if (const auto beside = reader.find("beside")) {
    if (component.kind != PackageKind::wheel) beside->reject("only a wheel can have it");
    component.beside = identifier(*beside);
  }
  return component;
}

std::string minor_version(const JsonReader& reader) {
  std::string text = reader.text();
  const std::vector<std::string> pieces = split(text, '.');
  if (pieces.size() != 2 || !is_digits(pieces[0]) || !is_digits(pieces[1])) {
    reader.reject(
        format("expected a Python minor version such as \"3.8\", got {}", in_quotes(text)));
  }
  return text;
}

PythonRules parse_python(const JsonReader& reader) {
  reader.expect_keys({"tested_minors", "executables", "unchanged"});
  PythonRules rules;
  for (const JsonReader& minor : reader.at("tested_minors").items()) {
    rules.tested_minors.push_back(minor_version(minor));
  }
  for (const JsonReader& executable : reader.at("executables").items()) {
    rules.executables.push_back(one_line(executable));
  }
  if (const auto unchanged = reader.find("unchanged")) {
    for (const JsonReader& name : unchanged->items()) rules.unchanged.push_back(identifier(name));
  }
  return rules;
}

// All logins receive these values.
VariableRule parse_variable(const JsonReader& reader) {
  reader.expect_keys({"name", "value", "prefix_of", "grade", "source"});
  VariableRule rule;
  rule.name = variable_name(reader.at("name"));
  const std::string objection = objection_to_setting(rule.name);
  if (!objection.empty()) reader.at("name").reject(concat(in_quotes(rule.name), " ", objection));
  rule.value = optional_line(reader, "value");
  if (const auto prefix = reader.find("prefix_of")) rule.prefix_of = file_name(*prefix);
  if (rule.value.empty() == rule.prefix_of.empty()) {
    reader.reject("expected exactly one of 'value' and 'prefix_of'");
  }
  rule.grade = reader.at("grade").text_of({"attested", "guide"}) == "attested" ? Grade::attested
                                                                               : Grade::guide;
  rule.source = one_line(reader.at("source"));
  return rule;
}

PathRule parse_path(const JsonReader& reader) {
  reader.expect_keys({"name", "entries"});
  PathRule rule;
  rule.name = variable_name(reader.at("name"));
  const std::string objection = objection_to_search_path(rule.name);
  if (!objection.empty()) reader.at("name").reject(concat(in_quotes(rule.name), " ", objection));
  for (const JsonReader& item : reader.at("entries").items()) {
    item.expect_keys({"directory_of", "if_present"});
    PathEntryRule entry;
    if (const auto file = item.find("directory_of")) entry.directory_of = file_name(*file);
    if (const auto folder = item.find("if_present")) entry.if_present = absolute_path(*folder);
    if (entry.directory_of.empty() == entry.if_present.empty()) {
      item.reject("expected exactly one of 'directory_of' and 'if_present'");
    }
    if (entry.if_present.find(':') != std::string::npos) {
      item.at("if_present").reject("a search path cannot contain a colon");
    }
    rule.entries.push_back(entry);
  }
  return rule;
}

ProfileRule parse_profile(const JsonReader& reader) {
  reader.expect_keys({"name", "title", "variables", "omits"});
  ProfileRule profile;
  profile.name = identifier(reader.at("name"));
  if (profile.name == no_profile)
    reader.at("name").reject("'none' is reserved: it means no profile");
  profile.title = one_line(reader.at("title"));
  for (const JsonReader& item : reader.at("variables").items()) {
    VariableRule rule = parse_variable(item);
    if (rule.value.empty()) item.reject("expected a 'value': a profile cannot derive one");
    profile.variables.push_back(std::move(rule));
  }
  refuse_twice(reader.at("variables"), profile.variables, &VariableRule::name);
  if (const auto omits = reader.find("omits")) {
    for (const JsonReader& item : omits->items()) profile.omits.push_back(one_line(item));
  }
  return profile;
}

EnvironmentRules parse_environment(const JsonReader& reader) {
  reader.expect_keys({"file", "generation", "variables", "paths", "profiles"});
  EnvironmentRules rules;
  rules.file = absolute_path(reader.at("file"));
  if (!rules.file.starts_with("/etc/profile.d/")) {
    reader.at("file").reject(
        format("expected a file below /etc/profile.d, got {}", in_quotes(rules.file)));
  }
  if (const auto generation = reader.find("generation"))
    rules.generation = generation->text_of({"t2x", "s60", "cuda"});
  if (const auto profiles = reader.find("profiles")) {
    for (const JsonReader& item : profiles->items()) rules.profiles.push_back(parse_profile(item));
    refuse_twice(*profiles, rules.profiles, &ProfileRule::name);
  }
  for (const JsonReader& item : reader.at("variables").items()) {
    rules.variables.push_back(parse_variable(item));
  }
  for (const JsonReader& item : reader.at("paths").items()) {
    rules.paths.push_back(parse_path(item));
  }
  return rules;
}

CardToolRules parse_card_tool(const JsonReader& reader) {
  reader.expect_keys({"file", "arguments", "columns"});
  CardToolRules tool;
  tool.file = file_name(reader.at("file"));
  for (const JsonReader& word : reader.at("arguments").items())
    tool.arguments.push_back(one_line(word));
  for (const JsonReader& column : reader.at("columns").items())
    tool.columns.push_back(column.text_of(card_tool_columns()));
  if (std::find(tool.columns.begin(), tool.columns.end(), "index") == tool.columns.end())
    reader.at("columns").reject("expected 'index' among the columns");
  return tool;
}

AcceleratorRules parse_accelerator(const JsonReader& reader) {
  reader.expect_keys({"cards", "device_node", "driver", "pci_vendor", "gres", "resource",
                      "variable", "metrics", "tool"});
  constexpr std::int64_t most_cards = 1024;
  AcceleratorRules rules;
  rules.cards = reader.at("cards").integer(1, most_cards);
  rules.device_node = absolute_path(reader.at("device_node"));
  rules.driver = file_name(reader.at("driver"));
  const JsonReader vendor = reader.at("pci_vendor");
  rules.pci_vendor = vendor.text();
  if (rules.pci_vendor.size() != 4 ||
      rules.pci_vendor.find_first_not_of("0123456789abcdef") != std::string::npos) {
    vendor.reject(
        format("expected four lower-case hexadecimal digits, got {}", in_quotes(rules.pci_vendor)));
  }
  if (const auto gres = reader.find("gres")) rules.gres = identifier(*gres);
  if (const auto resource = reader.find("resource")) rules.resource = one_line(*resource);
  if (const auto variable = reader.find("variable")) rules.variable = variable_name(*variable);
  if (const auto metrics = reader.find("metrics")) rules.metrics = variable_name(*metrics);
  if (const auto tool = reader.find("tool")) rules.tool = parse_card_tool(*tool);
  return rules;
}

BackendRules parse_backend(const JsonReader& reader) {
  reader.expect_keys({"name", "module", "library", "version_function", "device"});
  const auto device = reader.find("device");
  return {variable_name(reader.at("name")), variable_name(reader.at("module")),
          file_name(reader.at("library")), variable_name(reader.at("version_function")),
          device ? variable_name(*device) : std::string()};
}

constexpr std::int64_t most_result = 1'000'000;  // of a function of a library

bool is_of_deb(CheckKind kind) {
  return kind == CheckKind::deb_installed || kind == CheckKind::deb_files ||
         kind == CheckKind::library || kind == CheckKind::library_links ||
         kind == CheckKind::library_call || kind == CheckKind::perf_tool;
}

bool is_of_wheel(CheckKind kind) {
  return kind == CheckKind::wheel_installed || kind == CheckKind::python_import;
}

bool is_of_cards(CheckKind kind) {
  return kind >= CheckKind::driver && kind <= CheckKind::device_count &&
         kind != CheckKind::infiniband;
}

bool is_of_backend(CheckKind kind) {
  return kind == CheckKind::library_call || kind == CheckKind::loaded_library ||
         kind == CheckKind::device_count ||
         (kind >= CheckKind::card_arithmetic && kind <= CheckKind::ranks);
}

// Requires the parts of the stack that a check of that kind uses.
void require_parts(const JsonReader& kind, CheckKind value, const Stack& stack) {
  const auto refuse = [&](const char* part) {
    kind.reject(format("a {} check needs the stack's '{}'", name(value), part));
  };
  if ((is_of_cards(value) || value == CheckKind::card_arithmetic) && stack.accelerator.cards == 0)
    refuse("accelerator");
  if (is_of_backend(value) && stack.backend.name.empty()) refuse("backend");
}

CheckRule parse_check(const JsonReader& reader, const Stack& stack) {
  reader.expect_keys({"id", "kind", "rung", "component", "file", "symbols", "module", "files",
                      "hint", "marker", "variable", "accepted"});
  CheckRule rule;
  rule.id = identifier(reader.at("id"));
  const JsonReader kind = reader.at("kind");
  rule.kind = *check_kind_named(kind.text_of(check_kind_names()));
  const bool has_own_library = rule.kind == CheckKind::library_call && reader.find("file");
  if (!has_own_library) require_parts(kind, rule.kind, stack);
  rule.level = *level_named(reader.at("rung").text_of(level_names()));
  if (is_of_deb(rule.kind) || is_of_wheel(rule.kind)) {
    const JsonReader component = reader.at("component");
    rule.component = component.text_of(stack.component_ids());
    if ((stack.component(rule.component)->kind == PackageKind::wheel) != is_of_wheel(rule.kind)) {
      component.reject(format("component {} has the wrong kind for a {} check",
                              in_quotes(rule.component), name(rule.kind)));
    }
  }
  if (rule.kind == CheckKind::library || rule.kind == CheckKind::library_links ||
      rule.kind == CheckKind::perf_tool || rule.kind == CheckKind::management_tool)
    rule.file = file_name(reader.at("file"));
  if (rule.kind == CheckKind::library) rule.symbols = reader.at("symbols").texts();
  if (rule.kind == CheckKind::library_call && reader.find("file")) {
    rule.file = file_name(reader.at("file"));
    rule.symbols = reader.at("symbols").texts();
    if (rule.symbols.size() != 1) reader.at("symbols").reject("expected the name of one function");
    if (const auto accepted = reader.find("accepted")) {
      for (const JsonReader& code : accepted->items())
        rule.accepted.push_back(code.integer(1, most_result));
    }
  }
  if (rule.kind == CheckKind::python_import) rule.module = variable_name(reader.at("module"));
  if (rule.kind == CheckKind::loaded_library) rule.marker = one_line(reader.at("marker"));
  if (rule.kind == CheckKind::infiniband) {
    if (const auto variable = reader.find("variable")) rule.variable = variable_name(*variable);
  }
  if (rule.kind == CheckKind::impostors) rule.files = reader.at("files").texts();
  if (const auto hint = reader.find("hint")) rule.hint = one_line(*hint);
  return rule;
}

DraftNote parse_note(const JsonReader& reader) {
  reader.expect_keys({"place", "evidence", "decide"});
  DraftNote note{reader.at("place").any_text(), one_line(reader.at("evidence")), ""};
  if (const auto decide = reader.find("decide")) note.decide = one_line(*decide);
  return note;
}

// The stack file within the report of `topsctl stack show --json`, or the document itself.
const Json& definition_in(const Json& document) {
  const Json::json_pointer place("/stacks/0/definition");
  return document.contains(place) && document["stacks"].size() == 1 ? document[place] : document;
}

Stack parse_document(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader reader(definition_in(document), source);
  reader.expect_keys({"schema", "name", "title", "default", "releases", "components", "python",
                      "environment", "accelerator", "backend", "checks", "draft"});
  static_cast<void>(reader.at("schema").integer(1, 1));
  Stack stack;
  stack.name = identifier(reader.at("name"));
  stack.title = one_line(reader.at("title"));
  if (const auto chosen = reader.find("default")) stack.is_default = chosen->boolean();
  if (const auto releases = reader.find("releases")) stack.releases = parse_releases(*releases);
  for (const JsonReader& item : reader.at("components").items()) {
    stack.components.push_back(parse_component(item, stack.releases));
  }
  if (stack.components.empty()) reader.at("components").reject("expected at least one component");
  refuse_twice(reader.at("components"), stack.components, &Component::id);
  stack.python = parse_python(reader.at("python"));
  stack.environment = parse_environment(reader.at("environment"));
  refuse_twice(reader.at("environment").at("variables"), stack.environment.variables,
               &VariableRule::name);
  if (const auto part = reader.find("accelerator")) stack.accelerator = parse_accelerator(*part);
  if (const auto part = reader.find("backend")) stack.backend = parse_backend(*part);
  for (const JsonReader& item : reader.at("checks").items()) {
    stack.checks.push_back(parse_check(item, stack));
  }
  refuse_twice(reader.at("checks"), stack.checks, &CheckRule::id);
  if (const auto draft = reader.find("draft")) {
    for (const JsonReader& item : draft->items()) stack.draft.push_back(parse_note(item));
  }
  return stack;
}

}  // namespace

Stack parse_stack(std::string_view json, const std::string& source) {
  try {
    return parse_document(json, source);
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.code(), error.message(),
                "fix the file at that place; docs/stack.schema.json describes stack files");
  }
}

}  // namespace topsctl

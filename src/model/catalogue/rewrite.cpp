// Reads the rewrites from data.
#include "topsctl/model/catalogue/rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

using Texts = std::map<std::string, std::string>;

// Longer names first come last in a map: "$CARD_OF" must not be taken for "$CARD".
std::string with_texts(std::string text, const Texts& texts) {
  for (auto each = texts.rbegin(); each != texts.rend(); ++each) {
    const std::string name = concat("$", each->first);
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      text.replace(at, name.size(), each->second);
      at += each->second.size();
    }
  }
  return text;
}

std::string text_of(const JsonReader& record, const std::string& key, const Texts& texts) {
  const auto value = record.find(key);
  return value ? with_texts(value->text(), texts) : std::string();
}

ArgumentRule read_argument(const JsonReader& reader, const Texts& texts) {
  reader.expect_keys({"name", "position", "matches", "is_needed", "is_dropped", "becomes"});
  ArgumentRule rule;
  rule.name = reader.at("name").text();
  if (const auto position = reader.find("position"))
    rule.position = static_cast<int>(position->integer(0, 100));
  if (const auto matches = reader.find("matches")) rule.matches = matches->text();
  rule.is_needed = reader.flag_at("is_needed");
  rule.is_dropped = reader.flag_at("is_dropped");
  rule.becomes = text_of(reader, "becomes", texts);
  if (rule.is_dropped && !rule.becomes.empty())
    reader.reject("an argument cannot be both dropped and replaced");
  return rule;
}

Rewrite::Language read_language(const JsonReader& reader) {
  const std::string word = reader.text_of({"python", "shell", "settings"});
  return word == "python"  ? Rewrite::Language::python
         : word == "shell" ? Rewrite::Language::shell
                           : Rewrite::Language::settings;
}

void read_when(const JsonReader& reader, Rewrite& rewrite) {
  if (const auto group = reader.find("group"))
    rewrite.group = group->text_of({"starts", "needs"}) == "starts" ? Rewrite::Group::starts
                                                                    : Rewrite::Group::needs;
  rewrite.unless_called = reader.texts_at("unless_called");
  rewrite.unless_imported = reader.texts_at("unless_imported");
  rewrite.commands = reader.texts_at("commands");
  if (const auto file = reader.find("unknown_to")) rewrite.unknown_to = file->text();
  rewrite.is_statement = reader.flag_at("is_statement");
  rewrite.api = reader.at("api").text_of({"t2x", "s60", "both", "any"});
  rewrite.backend = reader.at("backend").text_of({"eccl", "gloo", "both"});
}

Rewrite read_rewrite(const JsonReader& reader, const Texts& texts) {
  reader.expect_keys({"id",           "language",    "pattern",       "holes",
                      "arguments",    "replacement", "before",        "imports",
                      "is_statement", "group",       "unless_called", "unless_imported",
                      "commands",     "unknown_to",  "api",           "backend",
                      "grade",        "source",      "certain",       "examples"});
  Rewrite rewrite;
  rewrite.id = reader.at("id").text();
  rewrite.language = read_language(reader.at("language"));
  rewrite.patterns = reader.at("pattern").texts();
  if (const auto holes = reader.find("holes")) {
    for (const std::string& name : holes->keys()) rewrite.holes[name] = holes->at(name).text();
  }
  if (const auto arguments = reader.find("arguments")) {
    for (const JsonReader& each : arguments->items())
      rewrite.arguments.push_back(read_argument(each, texts));
  }
  rewrite.replacement = text_of(reader, "replacement", texts);
  rewrite.before = text_of(reader, "before", texts);
  rewrite.imports = reader.texts_at("imports");
  read_when(reader, rewrite);
  rewrite.grade = reader.at("grade").text_of({"attested", "plausible"}) == "attested"
                      ? VariableGrade::attested
                      : VariableGrade::plausible;
  rewrite.source = reader.at("source").text();
  rewrite.is_certain = reader.at("certain").boolean();
  for (const JsonReader& example : reader.at("examples").items()) {
    example.expect_keys({"before", "after"});
    rewrite.examples.push_back({example.at("before").text(), example.at("after").text()});
  }
  if (rewrite.examples.empty()) reader.at("examples").reject("expected at least one example");
  if (rewrite.is_certain && !rewrite.changes())
    reader.reject("it is marked certain but changes nothing");
  return rewrite;
}

}  // namespace

bool Rewrite::changes() const {
  return !replacement.empty() || !before.empty() || !imports.empty() ||
         std::any_of(arguments.begin(), arguments.end(), [](const ArgumentRule& rule) {
           return rule.is_dropped || !rule.becomes.empty();
         });
}

std::vector<Rewrite> parse_rewrites(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  const JsonReader top(document, source);
  top.expect_keys({"texts", "rewrites"});
  Texts texts;
  if (const auto given = top.find("texts")) {
    for (const std::string& name : given->keys()) {
      const bool is_name = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '_';
      });
      if (!is_name) given->reject(format("expected A-Z and _ only, got {}", in_quotes(name)));
      texts[name] = given->at(name).text();
    }
  }
  std::vector<Rewrite> rewrites;
  for (const JsonReader& record : top.at("rewrites").items())
    rewrites.push_back(read_rewrite(record, texts));
  return rewrites;
}

const std::vector<Rewrite>& built_in_rewrites() {
  static const std::vector<Rewrite> rewrites = [] {
    std::vector<Rewrite> made;
    for (const EmbeddedFile& file : embedded_files()) {
      if (!file.name.starts_with("rewrites/")) continue;
      std::vector<Rewrite> more = parse_rewrites(file.bytes, std::string(file.name));
      made.insert(made.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
    }
    return made;
  }();
  return rewrites;
}

std::vector<Rewrite> rewrites_for(const std::vector<Rewrite>& rewrites,
                                  const RewriteTarget& target) {
  const Texts texts = {{"BACKEND", target.backend}};
  std::vector<Rewrite> chosen;
  for (Rewrite rewrite : rewrites) {
    const bool is_of_api = rewrite.api == target.api || rewrite.api == "any" ||
                           (rewrite.api == "both" && target.api != cuda_api);
    const bool is_of_backend = rewrite.backend == "both" || rewrite.backend == target.backend;
    if (!is_of_api || !is_of_backend) continue;
    rewrite.replacement = with_texts(std::move(rewrite.replacement), texts);
    rewrite.before = with_texts(std::move(rewrite.before), texts);
    for (ArgumentRule& rule : rewrite.arguments) rule.becomes = with_texts(rule.becomes, texts);
    chosen.push_back(std::move(rewrite));
  }
  return chosen;
}

}  // namespace topsctl

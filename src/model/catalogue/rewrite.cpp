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

// In a map, a longer name comes after its prefix: "$CARD_OF" must not be read as "$CARD".
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

Handling handling_of(const std::string& word) {
  return word == "shim" ? Handling::shim : word == "change" ? Handling::change : Handling::cannot;
}

Rewrite::Language read_language(const JsonReader& reader) {
  const std::string word = reader.text_of({"python", "shell", "settings"});
  return word == "python"  ? Rewrite::Language::python
         : word == "shell" ? Rewrite::Language::shell
                           : Rewrite::Language::settings;
}

void read_when(const JsonReader& reader, Rewrite& rewrite) {
  rewrite.handling = handling_of(reader.at("handling").text_of({"shim", "change", "cannot"}));
  if (const auto style = reader.find("style"))
    rewrite.style = *patch_style_named(style->text_of(patch_style_names()));
  rewrite.makes_group = reader.flag_at("makes_group");
  rewrite.needs_group = reader.flag_at("needs_group");
  rewrite.unless_called = reader.texts_at("unless_called");
  if (const auto word = reader.find("unless_word")) rewrite.unless_word = word->text();
  rewrite.commands = reader.texts_at("commands");
  if (const auto file = reader.find("unknown_to")) rewrite.unknown_to = file->text();
  rewrite.is_statement = reader.flag_at("is_statement");
  if (const auto api = reader.find("api"))
    rewrite.api = api->text_of({"t2x", "s60", "both", "any"});
  if (const auto backend = reader.find("backend"))
    rewrite.backend = backend->text_of({"eccl", "gloo", "both"});
}

Rewrite read_rewrite(const JsonReader& reader, const Texts& texts) {
  reader.expect_keys({"id",           "language",    "handling",    "pattern", "holes",
                      "strings",      "replacement", "before",      "imports", "style",
                      "is_statement", "makes_group", "needs_group", "becomes", "unless_called",
                      "unless_word",  "commands",    "unknown_to",  "api",     "backend",
                      "grade",        "source",      "certain",     "examples"});
  Rewrite rewrite;
  rewrite.id = reader.at("id").text();
  rewrite.language = read_language(reader.at("language"));
  rewrite.patterns = reader.texts_at("pattern");
  if (const auto strings = reader.find("strings")) rewrite.strings = strings->text();
  if (rewrite.patterns.empty() && rewrite.strings.empty())
    reader.reject("it has no pattern and no strings");
  if (const auto holes = reader.find("holes")) {
    for (const std::string& name : holes->keys()) rewrite.holes[name] = holes->at(name).text();
  }
  rewrite.replacement = text_of(reader, "replacement", texts);
  rewrite.before = text_of(reader, "before", texts);
  if (const auto becomes = reader.find("becomes")) {
    for (const std::string& hole : becomes->keys())
      rewrite.becomes[hole] = with_texts(becomes->at(hole).text(), texts);
  }
  rewrite.imports = reader.texts_at("imports");
  read_when(reader, rewrite);
  if (const auto grade = reader.find("grade"))
    rewrite.grade = grade->text_of({"attested", "plausible"}) == "attested"
                        ? VariableGrade::attested
                        : VariableGrade::plausible;
  if (const auto source = reader.find("source")) rewrite.source = source->text();
  rewrite.is_certain = reader.flag_at("certain");
  for (const JsonReader& example : reader.at("examples").items()) {
    example.expect_keys({"before", "after"});
    rewrite.examples.push_back({example.at("before").text(), example.at("after").text()});
  }
  if (rewrite.examples.empty()) reader.at("examples").reject("expected at least one example");
  if (rewrite.is_certain && !rewrite.changes())
    reader.reject("it is marked certain but changes nothing");
  if (rewrite.changes() && rewrite.source.empty())
    reader.reject("it does not say where the new form was seen");
  return rewrite;
}

}  // namespace

std::string_view name(Handling handling) {
  return handling == Handling::shim ? "shim" : handling == Handling::change ? "change" : "cannot";
}

const std::vector<std::string>& patch_style_names() {
  static const std::vector<std::string> names = {"settings", "import", "source"};
  return names;
}

std::optional<PatchStyle> patch_style_named(std::string_view name) {
  const auto& names = patch_style_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<PatchStyle>(found - names.begin());
}

bool Rewrite::changes() const {
  return !replacement.empty() || !before.empty() || !becomes.empty();
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
    for (auto& [hole, text] : rewrite.becomes) text = with_texts(std::move(text), texts);
    chosen.push_back(std::move(rewrite));
  }
  return chosen;
}

}  // namespace topsctl

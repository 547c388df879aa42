// Finds keys with plain values without parsing whole documents: all other text stays as written.
#include "engine/diagnosis/settings_rewrites.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

struct ProjectSetting {
  std::string_view key;
  std::size_t value = 0;  // offset, behind a quote
  std::size_t size = 0;
  int line = 0;
};

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

// One pass over the text: words, quoted or not, that a colon follows, and their values.
class SettingsScanner {
 public:
  SettingsScanner(std::string_view text, SettingsForm form) : text_(text), form_(form) {}

  std::vector<ProjectSetting> run() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::size_t line_rest() const { return std::min(text_.find('\n', at_), text_.size()) - at_; }

  void skip(std::size_t size) {
    const std::size_t end = std::min(at_ + size, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  void step() {
    const char before = at_ == 0 ? '\n' : text_[at_ - 1];
    const bool is_apart = before == '\n' || before == ' ' || before == '\t' || before == '{' ||
                          before == ',' || before == '\r' || before == '[';
    if (peek() == '-' && peek(1) == ' ' && is_apart && form_ == SettingsForm::yaml) item();
    if (peek() == '#' && is_apart && form_ == SettingsForm::yaml) return skip(line_rest());
    if ((peek() == '"' || peek() == '\'') && is_apart) return quoted();
    if (is_key_character(peek()) && is_apart && form_ == SettingsForm::yaml) {
      std::size_t size = 0;
      while (is_key_character(peek(size))) ++size;
      const std::string_view key = text_.substr(at_, size);
      skip(size);
      return value_of(key);
    }
    skip(1);
  }

  // A plain one of a list has the key "-".
  void item() {
    const std::string_view line =
        text_.substr(at_ + 2, line_rest() - std::min<std::size_t>(2, line_rest()));
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos || line.find(": ") != std::string_view::npos) return;
    const std::size_t quoted = line[begin] == '"' || line[begin] == '\'' ? 1 : 0;
    std::string_view value = line.substr(begin + quoted);
    value = value.substr(0, quoted == 1 ? value.find(line[begin]) : value.find(" #"));
    found_.push_back({"-", at_ + 2 + begin + quoted, trimmed(value).size(), line_});
  }

  // The size of the string that begins here, with its quotes.
  std::size_t quoted_size() const {
    const char quote = peek();
    std::size_t size = 1;
    while (at_ + size < text_.size() && peek(size) != quote)
      size += quote == '"' && peek(size) == '\\' ? 2 : 1;
    return size + 1;
  }

  void quoted() {
    const std::size_t size = quoted_size();
    const std::string_view key = text_.substr(at_ + 1, size < 2 ? 0 : size - 2);
    skip(size);
    value_of(key);
  }

  void value_of(std::string_view key) {
    std::size_t ahead = 0;
    while (peek(ahead) == ' ') ++ahead;
    if (peek(ahead) != ':') return;
    skip(ahead + 1);
    if (form_ == SettingsForm::yaml && peek() != ' ' && peek() != '\t') return;
    while (peek() == ' ' || peek() == '\t' || (form_ == SettingsForm::json && is_break())) skip(1);
    ProjectSetting setting{key, at_, 0, line_};
    if (peek() == '|' || peek() == '>') return block();
    if (peek() == '"' || peek() == '\'') {
      const std::size_t size = quoted_size();
      setting.value = at_ + 1;
      setting.size = size - 2;
      if (setting.value + setting.size > text_.size()) return skip(size);
      found_.push_back(setting);
      return skip(size);
    }
    std::size_t size = 0;
    while (at_ + size < text_.size() && text_[at_ + size] != '\n' && text_[at_ + size] != '\r' &&
           text_[at_ + size] != ',' && text_[at_ + size] != '}' && text_[at_ + size] != ']' &&
           text_[at_ + size] != '{' && text_[at_ + size] != '[' &&
           !(text_[at_ + size] == '#' && size > 0 && text_[at_ + size - 1] == ' '))
      ++size;
    setting.size = trimmed(text_.substr(at_, size)).size();
    if (setting.size > 0) found_.push_back(setting);
    skip(setting.size);
  }

  bool is_break() const { return peek() == '\n' || peek() == '\r'; }

  static std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
  }

  // Text on the following lines, indented more than the key.
  void block() {
    const auto begin = text_.rfind('\n', at_);
    const std::size_t indent =
        indent_of(text_.substr(begin == std::string_view::npos ? 0 : begin + 1));
    skip(line_rest());
    while (at_ < text_.size()) {
      skip(1);
      const std::string_view line = text_.substr(at_, text_.substr(at_).find('\n'));
      if (!trimmed(line).empty() && indent_of(line) <= indent) return;
      skip(line.size());
    }
  }

  std::string_view text_;
  SettingsForm form_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<ProjectSetting> found_;
};

std::string json_problem(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (Json::accept(text)) return {};
  return Json::accept(text, true) ? "it is JSON with comments" : "not valid JSON";
}

}  // namespace

SettingsRewriter::SettingsRewriter(const std::vector<Rewrite>& rewrites,
                                   std::set<std::string> accepted)
    : accepted_(std::move(accepted)) {
  for (const Rewrite& rewrite : rewrites) {
    if (rewrite.language != Rewrite::Language::settings) continue;
    for (const std::string& pattern : rewrite.patterns) {
      const auto key = rewrite.holes.find("key");
      const auto value = rewrite.holes.find("value");
      if (pattern != "$key: $value" || key == rewrite.holes.end() || value == rewrite.holes.end())
        throw Error(ErrorCode::internal,
                    format("cannot use the pattern {}: expected '$key: $value' and both holes",
                           in_quotes(pattern)));
      rewrites_.push_back({rewrite, Pattern(concat("^(?:", key->second, ")$")),
                           Pattern(concat("^(?:", value->second, ")$"))});
    }
  }
}

FoundRewrites SettingsRewriter::find(std::string_view text, SettingsForm form) const {
  FoundRewrites found;
  if (!is_utf8(text) || text.find('\0') != std::string_view::npos) found.problem = "not UTF-8";
  if (found.problem.empty() && form == SettingsForm::json) found.problem = json_problem(text);
  if (!found.problem.empty()) return found;
  for (const ProjectSetting& setting : SettingsScanner(text, form).run()) {
    for (const Compiled& each : rewrites_) {
      const std::string_view value = text.substr(setting.value, setting.size);
      if (!each.key.matches(setting.key) || !each.value.matches(value)) continue;
      SourceHit hit;
      hit.id = each.rewrite.id;
      hit.handling = each.rewrite.handling;
      hit.line = setting.line;
      hit.text = line_around(text, setting.value);
      hit.has_rewrite = each.rewrite.changes();
      hit.is_certain = each.rewrite.is_certain;
      hit.is_applied = hit.has_rewrite && (hit.is_certain || accepted_.contains(hit.id));
      if (hit.is_applied)
        found.edits.push_back({setting.value, setting.size, each.rewrite.replacement});
      found.hits.push_back(std::move(hit));
      break;
    }
  }
  return found;
}

}  // namespace topsctl

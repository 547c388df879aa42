// Matches rewrites with Python source and creates edits.
#include "engine/diagnosis/python_rewrites.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr const char* shim_module = "topsctl_shim";
constexpr std::string_view import_mark = "import ";

std::string whole_match(const std::string& expression) {
  return concat("^(?:", expression, ")$");
}

// Statements before which no code can be inserted.
bool goes_on_a_statement(const CodeToken& first) {
  static constexpr std::array<std::string_view, 9> words = {
      "elif", "else", "except", "finally", "case", "class", "def", "async", "@"};
  return std::find(words.begin(), words.end(), first.text) != words.end();
}

std::string with_line_breaks(std::string_view text, std::string_view line_break,
                             std::string_view indent) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += concat(line_break, indent);
    else
      out += c;
  }
  return out;
}

bool is_of(std::string_view module, std::string_view package) {
  return module == package || (module.starts_with(package) && module[package.size()] == '.');
}

bool is_imported(const PythonCode& code, std::string_view module) {
  return std::any_of(code.top_modules.begin(), code.top_modules.end(),
                     [&](const auto& known) { return is_of(known, module); });
}

// A plain string literal in single quotes, or the source of another expression.
std::string value_text(const PythonCode& code, TokenRange value) {
  const bool is_string =
      value.end == value.first + 1 && code.tokens[value.first].kind == PythonToken::Kind::string;
  const std::string text = is_string ? plain_string(code.tokens[value.first].text) : "";
  return text.empty() ? std::string(value.text(code)) : concat("'", text, "'");
}

}  // namespace

std::string line_around(std::string_view text, std::size_t offset) {
  const auto before = offset == 0 ? std::string_view::npos : text.find_last_of("\r\n", offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find_first_of("\r\n", offset), text.size());
  return std::string(trimmed(text.substr(begin, end - begin)));
}

std::string_view line_break_of(std::string_view text) {
  const auto at = text.find('\n');
  return at != std::string_view::npos && at > 0 && text[at - 1] == '\r' ? "\r\n" : "\n";
}

// One search through one text.
class PythonRewriter::Search {
 public:
  Search(const PythonRewriter& rewriter, const PythonCode& code, const ProjectFacts& project)
      : rewriter_(rewriter), code_(code), project_(project) {}

  FoundRewrites run() {
    found_.makes_group = calls("torch.distributed.init_process_group") ||
                         calls("torch_gcu.distributed.init_process_group");
    look_at_imports();
    for (std::uint32_t at = 0; at < code_.tokens.size(); ++at) look_at(at);
    std::stable_sort(found_.hits.begin(), found_.hits.end(),
                     [](const SourceHit& a, const SourceHit& b) { return a.line < b.line; });
    std::vector<TextEdit> edits;  // imports come first if a statement changes at their place
    if (rewriter_.style_ == PatchStyle::import && project_.names_cuda && code_.is_entry &&
        !code_.modules.contains(shim_module))
      edits.push_back({code_.first_import_place, 0,
                       concat("import ", shim_module, line_break_of(code_.source))});
    for (const std::string& module : imports_) {
      const auto longer = imports_.lower_bound(concat(module, "."));
      if (longer != imports_.end() && longer->starts_with(concat(module, "."))) continue;
      edits.push_back({code_.import_place, 0,
                       concat(import_break(), "import ", module, line_break_of(code_.source))});
    }
    edits.insert(edits.end(), found_.edits.begin(), found_.edits.end());
    found_.edits = std::move(edits);
    return std::move(found_);
  }

 private:
  // An import after a last line without a line end.
  std::string_view import_break() const {
    const std::size_t at = code_.import_place;
    const bool needs = at == code_.source.size() && at > 0 && code_.source[at - 1] != '\n' &&
                       code_.source[at - 1] != '\r' && !code_.source.ends_with("\xef\xbb\xbf");
    return needs ? line_break_of(code_.source) : "";
  }

  // Imports of a module and its submodules; each line once per id.
  void look_at_imports() {
    for (const auto& [module, token] : code_.imports) {
      for (const auto& [package, rewrite] : rewriter_.imports_) {
        if (!is_of(module, package)) continue;
        note(rewriter_.rewrites_[rewrite]->rewrite, token);
        break;
      }
    }
  }

  void look_at(std::uint32_t at) {
    const CodeToken& token = code_.tokens[at];
    if (token.is_imported) return;
    if (token.kind == PythonToken::Kind::string) return look_at_string(at);
    const auto& starts =
        token.kind == PythonToken::Kind::name ? rewriter_.chains_ : rewriter_.attributes_;
    std::string_view key;
    if (token.kind == PythonToken::Kind::name) {
      if (at > 0 && code_.tokens[at - 1].is_op(".")) return;
      const std::string_view meaning = code_.binding(at);
      key = meaning.substr(0, meaning.find('.'));
    } else if (token.is_op(".") && at + 1 < code_.tokens.size()) {
      key = code_.tokens[at + 1].text;
    } else {
      return;
    }
    if (token.kind == PythonToken::Kind::name) look_at_imported(at);
    const auto known = starts.find(key);
    if (known == starts.end()) return;
    for (const auto& [rewrite, pattern] : known->second) {
      PatternMatch match;
      const Compiled& compiled = *rewriter_.rewrites_[rewrite];
      if (!matches_at(compiled.patterns[pattern], code_, at, match)) continue;
      if (take(compiled, match)) return;
    }
  }

  // A name that is imported from such a module, or an alias of the module itself.
  void look_at_imported(std::uint32_t at) {
    const std::string_view name = code_.tokens[at].text;
    const auto bound = code_.bindings.find(name);
    if (bound == code_.bindings.end()) return;
    const std::string_view meaning = bound->second;
    if (!meaning.ends_with(name)) return;
    for (const auto& [package, rewrite] : rewriter_.imports_) {
      if (!is_of(meaning, package)) continue;
      note(rewriter_.rewrites_[rewrite]->rewrite, at);
      return;
    }
  }

  // Not a string that is a statement of its own, such as a docstring.
  void look_at_string(std::uint32_t at) {
    const CodeStatement& statement = code_.statements[code_.tokens[at].statement];
    if (statement.end == statement.first + 1) return;
    std::string text = plain_string(code_.tokens[at].text);
    if (text.empty()) text = format_text(code_.tokens[at].text);
    if (text.empty()) return;
    for (const auto& [pattern, rewrite] : rewriter_.strings_) {
      if (!pattern.matches(text)) continue;
      note(rewriter_.rewrites_[rewrite]->rewrite, at);
      return;
    }
  }

  bool is_meant(const Compiled& compiled, const PatternMatch& match) {
    const Rewrite& rewrite = compiled.rewrite;
    for (const auto& [name, pattern] : compiled.holes) {
      const auto hole = match.holes.find(name);
      if (hole == match.holes.end() || !pattern.matches(value_text(code_, hole->second)))
        return false;
    }
    const CodeStatement& statement = code_.statements[code_.tokens[match.range.first].statement];
    if (rewrite.is_statement &&
        (match.range.first != statement.first || match.range.end != statement.end))
      return false;
    if (!rewrite.before.empty() && goes_on_a_statement(code_.tokens[statement.first])) return false;
    return std::none_of(rewrite.unless_called.begin(), rewrite.unless_called.end(),
                        [&](const std::string& name) { return calls(name); });
  }

  bool calls(const std::string& name) {
    const auto known = called_.find(name);
    if (known != called_.end()) return known->second;
    // The last part of the name occurs in the source under any import alias of the first parts.
    const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
    if (code_.source.find(last) == std::string_view::npos) return called_[name] = false;
    const std::vector<PatternPart> pattern = pattern_parts(concat(name, "($arguments...)"));
    bool is_there = false;
    for (std::uint32_t at = 0; at < code_.tokens.size() && !is_there; ++at) {
      PatternMatch match;
      is_there =
          code_.tokens[at].kind == PythonToken::Kind::name && matches_at(pattern, code_, at, match);
    }
    return called_[name] = is_there;
  }

  // An attribute's match begins with the dot; the call begins with the expression before it.
  std::uint32_t first_of_call(std::uint32_t at) const {
    while (at > 0 && code_.tokens[at].is_op(".")) {
      --at;
      while (code_.tokens[at].partner < at) {
        at = code_.tokens[at].partner;
        const bool is_called = at > 0 && (code_.tokens[at - 1].kind == PythonToken::Kind::name ||
                                          code_.tokens[at - 1].partner < at - 1);
        if (!is_called) return at;
        --at;
      }
      if (at > 0 && code_.tokens[at - 1].is_op(".")) --at;
    }
    return at;
  }

  // Adds a hit at that token; each line once per id. Returns whether to change it.
  bool note(const Rewrite& rewrite, std::uint32_t token) {
    const CodeToken& first = code_.tokens[token];
    SourceHit hit;
    hit.id = rewrite.id;
    hit.handling = rewrite.handling;
    hit.line = first.line;
    hit.text = line_around(code_.source, first.offset);
    hit.is_guarded = code_.statements[first.statement].is_guarded;
    hit.has_rewrite = rewrite.changes() && rewriter_.changes(rewrite);
    hit.is_certain = rewrite.is_certain && !hit.is_guarded;
    hit.is_applied = hit.has_rewrite && (hit.is_certain || rewriter_.accepted_.contains(hit.id));
    const bool is_applied = hit.is_applied;
    if (told_.emplace(hit.line, hit.id).second) found_.hits.push_back(std::move(hit));
    return is_applied;
  }

  // Whether the match really applies; then adds a hit.
  bool take(const Compiled& compiled, const PatternMatch& match) {
    if (!is_meant(compiled, match)) return false;
    const std::uint32_t first = first_of_call(match.range.first);
    if (note(compiled.rewrite, first))
      change(compiled.rewrite, match, code_.statements[code_.tokens[first].statement]);
    found_.makes_group = found_.makes_group || compiled.rewrite.makes_group;
    return true;
  }

  void change(const Rewrite& rewrite, const PatternMatch& match, const CodeStatement& statement) {
    const std::string_view line_break = line_break_of(code_.source);
    const std::string_view indent = code_.source.substr(
        statement.line_start, code_.tokens[statement.first].offset - statement.line_start);
    if (!rewrite.before.empty())
      found_.edits.push_back(
          {statement.line_start, 0,
           concat(indent, with_line_breaks(rewrite.before, line_break, indent), line_break)});
    const auto replace = [&](TokenRange range, const std::string& text) {
      found_.edits.push_back({code_.tokens[range.first].offset, range.text(code_).size(),
                              with_line_breaks(text, line_break, indent)});
    };
    if (!rewrite.replacement.empty()) replace(match.range, rewrite.replacement);
    for (const auto& [hole, text] : rewrite.becomes) {
      const auto range = match.holes.find(hole);
      if (range != match.holes.end()) replace(range->second, text);
    }
    for (const std::string& module : rewrite.imports) {
      if (!is_imported(code_, module)) imports_.insert(module);
    }
  }

  const PythonRewriter& rewriter_;
  const PythonCode& code_;
  const ProjectFacts& project_;
  FoundRewrites found_;
  std::set<std::string> imports_;
  std::map<std::string, bool> called_;
  std::set<std::pair<int, std::string>> told_;
};

PythonRewriter::PythonRewriter(const std::vector<Rewrite>& rewrites, PatchStyle style,
                               std::set<std::string> accepted)
    : style_(style), accepted_(std::move(accepted)) {
  for (const Rewrite& rewrite : rewrites) {
    if (rewrite.language != Rewrite::Language::python) continue;
    auto compiled = std::make_unique<Compiled>();
    compiled->rewrite = rewrite;
    for (const auto& [name, expression] : rewrite.holes)
      compiled->holes.emplace_back(name, Pattern(whole_match(expression)));
    if (!rewrite.strings.empty())
      strings_.emplace_back(Pattern(whole_match(rewrite.strings)), rewrites_.size());
    for (const std::string& text : rewrite.patterns) {
      if (text.starts_with(import_mark)) {
        imports_.emplace_back(text.substr(import_mark.size()), rewrites_.size());
        continue;
      }
      std::vector<PatternPart> parts = pattern_parts(text);
      const bool is_attribute =
          !parts.empty() && parts.front().kind == PatternPart::Kind::attribute;
      if (!is_attribute && (parts.empty() || parts.front().kind != PatternPart::Kind::chain))
        throw Error(
            ErrorCode::internal,
            format("cannot use the pattern {}: it does not begin with a name", in_quotes(text)));
      auto& starts = is_attribute ? attributes_ : chains_;
      starts[is_attribute ? parts.front().text : parts.front().names.front()].emplace_back(
          rewrites_.size(), compiled->patterns.size());
      compiled->patterns.push_back(std::move(parts));
    }
    rewrites_.push_back(std::move(compiled));
  }
}

FoundRewrites PythonRewriter::find(std::string_view source, const ProjectFacts& project) const {
  const PythonCode code = python_code(source);
  if (!code.problem.empty()) {
    FoundRewrites found;
    found.problem = code.problem;
    found.problem_line = code.problem_line;
    return found;
  }
  return Search(*this, code, project).run();
}

}  // namespace topsctl

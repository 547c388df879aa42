// Matches rewrites with Python source and makes edits of them.
#include "engine/diagnosis/python_rewrites.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "engine/diagnosis/call_arguments.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string whole_match(const std::string& expression) {
  return concat("^(?:", expression, ")$");
}

// Statements before which nothing can be put.
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

bool is_imported(const PythonCode& code, std::string_view module) {
  return std::any_of(code.top_modules.begin(), code.top_modules.end(), [&](const auto& known) {
    return known == module || (known.starts_with(module) && known[module.size()] == '.');
  });
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
    found_.starts_group = calls("torch_gcu.distributed.init_process_group");
    found_.makes_group = found_.starts_group || calls("torch.distributed.init_process_group");
    for (std::uint32_t at = 0; at < code_.tokens.size(); ++at) look_at(at);
    std::vector<TextEdit> edits;  // imports come first where a statement changes at their place
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
  // An import behind a last line without an end.
  std::string_view import_break() const {
    const std::size_t at = code_.import_place;
    const bool needs = at == code_.source.size() && at > 0 && code_.source[at - 1] != '\n' &&
                       code_.source[at - 1] != '\r' && !code_.source.ends_with("\xef\xbb\xbf");
    return needs ? line_break_of(code_.source) : "";
  }

  void look_at(std::uint32_t at) {
    const CodeToken& token = code_.tokens[at];
    if (token.is_imported) return;
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
    const auto known = starts.find(key);
    if (known == starts.end()) return;
    for (const auto& [rewrite, pattern] : known->second) {
      PatternMatch match;
      const Compiled& compiled = *rewriter_.rewrites_[rewrite];
      const auto& parts = compiled.patterns[pattern];
      if (!matches_at(parts, code_, at, match)) continue;
      if (take(compiled, parts, match)) return;
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
    if (rewrite.group == Rewrite::Group::needs && !project_.starts_group) return false;
    const auto is_one_imported = [&](const std::string& module) {
      return project_.modules.contains(module);
    };
    if (std::any_of(rewrite.unless_imported.begin(), rewrite.unless_imported.end(),
                    is_one_imported))
      return false;
    return std::none_of(rewrite.unless_called.begin(), rewrite.unless_called.end(),
                        [&](const std::string& name) { return calls(name); });
  }

  bool calls(const std::string& name) {
    const auto known = called_.find(name);
    if (known != called_.end()) return known->second;
    // Whatever the first names are imported as, the last one is written.
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

  // An attribute's match begins with the dot; the call begins with what is before it.
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

  // Whether it was meant; then it is a hit.
  bool take(const Compiled& compiled, const std::vector<PatternPart>& parts,
            const PatternMatch& match) {
    if (!is_meant(compiled, match)) return false;
    std::vector<TextEdit> changes;
    const auto hole = match.holes.find("arguments");
    if (hole != match.holes.end()) {
      std::vector<AskedArgument> asked;
      for (const CompiledArgument& each : compiled.arguments)
        asked.push_back({each.rule, each.matches.empty() ? nullptr : &each.matches.front()});
      if (!change_arguments(code_, hole->second, asked, changes)) return false;
    }
    const CodeToken& first = code_.tokens[first_of_call(match.range.first)];
    const CodeStatement& statement = code_.statements[first.statement];
    SourceHit hit;
    hit.id = compiled.rewrite.id;
    hit.line = first.line;
    hit.text = line_around(code_.source, first.offset);
    hit.is_guarded = statement.is_guarded;
    hit.has_rewrite = compiled.rewrite.changes();
    hit.is_certain = compiled.rewrite.is_certain && !hit.is_guarded;
    hit.is_applied = hit.has_rewrite && (hit.is_certain || rewriter_.accepted_.contains(hit.id));
    if (hit.is_applied) change(compiled, parts, match, std::move(changes), statement);
    found_.hits.push_back(std::move(hit));
    if (compiled.rewrite.group == Rewrite::Group::starts)
      found_.starts_group = found_.makes_group = true;
    return true;
  }

  void change(const Compiled& compiled, const std::vector<PatternPart>& parts,
              const PatternMatch& match, std::vector<TextEdit> changes,
              const CodeStatement& statement) {
    const Rewrite& rewrite = compiled.rewrite;
    const std::string_view line_break = line_break_of(code_.source);
    const std::string_view indent = code_.source.substr(
        statement.line_start, code_.tokens[statement.first].offset - statement.line_start);
    if (!rewrite.before.empty())
      found_.edits.push_back(
          {statement.line_start, 0,
           concat(indent, with_line_breaks(rewrite.before, line_break, indent), line_break)});
    if (!rewrite.replacement.empty()) replace(compiled, parts, match, changes, indent);
    found_.edits.insert(found_.edits.end(), changes.begin(), changes.end());
    for (const std::string& module : rewrite.imports) {
      if (!is_imported(code_, module)) imports_.insert(module);
    }
  }

  // What pattern and replacement have in common at both ends stays as it is written.
  void replace(const Compiled& compiled, const std::vector<PatternPart>& parts,
               const PatternMatch& match, std::vector<TextEdit>& changes, std::string_view indent) {
    const auto& made = compiled.replacement;
    std::size_t same = 0;
    while (same < parts.size() && same < made.size() && parts[same] == made[same]) ++same;
    std::size_t tail = 0;
    while (tail + same < parts.size() && tail + same < made.size() &&
           parts[parts.size() - 1 - tail] == made[made.size() - 1 - tail])
      ++tail;
    const std::size_t begin = same < match.parts.size() && !match.parts[same].is_empty()
                                  ? code_.tokens[match.parts[same].first].offset
                                  : code_.tokens[match.range.end - 1].end();
    if (same + tail == parts.size() && same + tail == made.size()) return;
    const bool goes = parts.size() - tail > same;  // something does
    std::size_t stop =
        goes ? code_.tokens[match.parts[parts.size() - 1 - tail].end - 1].end() : begin;
    std::string text;
    for (std::size_t i = same; i + tail < made.size(); ++i) {
      if (i > same) text += gap_before(compiled, i);
      text += part_text(compiled.rewrite.replacement, made[i], match, changes);
    }
    if (tail > 0) {
      // The space before what stays is the replacement's, unless a line ends there.
      const std::size_t next = code_.tokens[match.parts[parts.size() - tail].first].offset;
      const std::string_view gap = code_.source.substr(stop, next - stop);
      const bool is_plain = gap.find_first_not_of(' ') == std::string_view::npos;
      if (is_plain) stop = next;
      if (is_plain || !goes) text += gap_before(compiled, made.size() - tail);
    }
    text = with_line_breaks(text, line_break_of(code_.source), indent);
    // What is rendered anew must not be edited as well.
    std::erase_if(changes, [&](const TextEdit& edit) {
      return edit.offset >= begin && edit.offset + edit.size <= stop;
    });
    changes.push_back({begin, stop - begin, std::move(text)});
  }

  // What the replacement has between a part and the one before it.
  static std::string gap_before(const Compiled& compiled, std::size_t part) {
    if (part == 0) return {};
    const PatternPart& before = compiled.replacement[part - 1];
    const std::size_t begin = before.offset + before.size;
    return compiled.rewrite.replacement.substr(begin, compiled.replacement[part].offset - begin);
  }

  std::string part_text(const std::string& replacement, const PatternPart& part,
                        const PatternMatch& match, const std::vector<TextEdit>& changes) const {
    if (part.kind == PatternPart::Kind::hole || part.kind == PatternPart::Kind::holes)
      return hole_text(part.text, match, changes);
    std::string text = replacement.substr(part.offset, part.size);
    if (part.kind != PatternPart::Kind::chain) return text;
    for (const std::string& name : part.names) {
      if (!name.starts_with('$')) continue;
      const auto at = text.find(name);
      if (at != std::string::npos)
        text.replace(at, name.size(), hole_text(name.substr(1), match, changes));
    }
    return text;
  }

  std::string hole_text(const std::string& name, const PatternMatch& match,
                        const std::vector<TextEdit>& changes) const {
    const auto hole = match.holes.find(name);
    if (hole == match.holes.end() || hole->second.is_empty()) return {};
    const std::size_t begin = code_.tokens[hole->second.first].offset;
    return edited(code_.source, begin, begin + hole->second.text(code_).size(), changes);
  }

  const PythonRewriter& rewriter_;
  const PythonCode& code_;
  const ProjectFacts& project_;
  FoundRewrites found_;
  std::set<std::string> imports_;
  std::map<std::string, bool> called_;
};

PythonRewriter::PythonRewriter(const std::vector<Rewrite>& rewrites, std::set<std::string> accepted)
    : accepted_(std::move(accepted)) {
  for (const Rewrite& rewrite : rewrites) {
    if (rewrite.language != Rewrite::Language::python) continue;
    auto compiled = std::make_unique<Compiled>();
    compiled->rewrite = rewrite;
    if (!rewrite.replacement.empty()) compiled->replacement = pattern_parts(rewrite.replacement);
    for (const auto& [name, expression] : rewrite.holes)
      compiled->holes.emplace_back(name, Pattern(whole_match(expression)));
    for (const ArgumentRule& rule : compiled->rewrite.arguments) {
      CompiledArgument argument{&rule, {}};
      if (!rule.matches.empty()) argument.matches.emplace_back(whole_match(rule.matches));
      compiled->arguments.push_back(std::move(argument));
    }
    for (const std::string& text : rewrite.patterns) {
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
  FoundRewrites found = Search(*this, code, project).run();
  found.modules.insert(code.modules.begin(), code.modules.end());
  return found;
}

}  // namespace topsctl

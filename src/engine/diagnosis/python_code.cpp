// Finds statements, imports and guards among tokens.
#include "topsctl/engine/diagnosis/python_code.hpp"

#include <algorithm>

#include "engine/diagnosis/python_syntax.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using TokenKind = PythonToken::Kind;

class Builder {
 public:
  explicit Builder(std::string_view source) : tokens_(python_tokens(source)) {
    code_.source = source;
    code_.problem = tokens_.problem;
    code_.problem_line = tokens_.problem_line;
  }

  PythonCode run() {
    if (!code_.problem.empty()) return std::move(code_);
    for (const PythonLine& line : tokens_.lines) add_statement(line);
    if (const auto found = syntax_problem(code_)) {
      code_.problem = found->what;
      code_.problem_line = found->line;
      return std::move(code_);
    }
    for (const CodeStatement& statement : code_.statements) read_imports(statement);
    find_import_place();
    code_.is_entry = std::any_of(code_.tokens.begin(), code_.tokens.end(), [](const auto& token) {
      return token.kind == TokenKind::string && plain_string(token.text) == "__main__";
    });
    mark_guards();
    return std::move(code_);
  }

 private:
  void add_statement(const PythonLine& line) {
    CodeStatement statement;
    statement.first = static_cast<std::uint32_t>(code_.tokens.size());
    statement.indent = line.indent;
    const auto number = static_cast<std::uint32_t>(code_.statements.size());
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = line.first; i < line.end; ++i) {
      const PythonToken& token = tokens_.tokens[i];
      if (token.kind == TokenKind::comment || token.kind == TokenKind::line_break) continue;
      const auto at = static_cast<std::uint32_t>(code_.tokens.size());
      CodeToken made{token.kind, tokens_.text_of(code_.source, i), token.offset, token.line, number,
                     at};
      if (made.kind == TokenKind::op && made.text.size() == 1) {
        if (std::string_view("([{").find(made.text[0]) != std::string_view::npos) {
          open.push_back(at);
        } else if (!open.empty() &&
                   std::string_view(")]}").find(made.text[0]) != std::string_view::npos) {
          made.partner = open.back();
          code_.tokens[open.back()].partner = at;
          open.pop_back();
        }
      }
      code_.tokens.push_back(made);
    }
    statement.end = static_cast<std::uint32_t>(code_.tokens.size());
    if (statement.first == statement.end) return;
    const std::size_t begin = code_.tokens[statement.first].offset;
    const auto before =
        begin == 0 ? std::string_view::npos : code_.source.find_last_of("\r\n", begin - 1);
    statement.line_start = before == std::string_view::npos ? 0 : before + 1;
    // A byte order mark stays the first.
    if (statement.line_start == 0 && code_.source.starts_with("\xef\xbb\xbf"))
      statement.line_start = 3;
    code_.statements.push_back(statement);
  }

  // Reads "a.b.c" from `at` on, and moves `at` after the name.
  std::string dotted(std::uint32_t& at, std::uint32_t end) const {
    std::string name;
    while (at < end && (code_.tokens[at].kind == TokenKind::name || code_.tokens[at].is_op(".") ||
                        code_.tokens[at].is_op("..."))) {
      if (code_.tokens[at].is_name("import") || code_.tokens[at].is_name("as")) break;
      name += code_.tokens[at++].text;
    }
    return name;
  }

  void bind(std::string_view name, const std::string& meaning) {
    const auto [known, is_new] = code_.bindings.emplace(name, meaning);
    if (!is_new && known->second != meaning) known->second.clear();
  }

  void read_imports(const CodeStatement& statement) {
    bool is_within = false;
    for (std::uint32_t at = statement.first; at < statement.end; ++at) {
      const bool begins = at == statement.first || code_.tokens[at - 1].is_op(";") ||
                          code_.tokens[at - 1].is_op(":");
      const bool begins_import =
          begins && (code_.tokens[at].is_name("import") || code_.tokens[at].is_name("from"));
      is_within = begins_import || (is_within && !code_.tokens[at].is_op(";"));
      code_.tokens[at].is_imported = is_within;
      if (begins && code_.tokens[at].is_name("import"))
        read_import(at + 1, statement);
      else if (begins && code_.tokens[at].is_name("from"))
        read_from(at + 1, statement);
    }
  }

  void read_import(std::uint32_t at, const CodeStatement& statement) {
    while (at < statement.end) {
      const std::uint32_t token = at;
      const std::string module = dotted(at, statement.end);
      if (module.empty()) return;
      code_.modules.insert(module);
      code_.imports.emplace_back(module, token);
      if (at + 1 < statement.end && code_.tokens[at].is_name("as")) {
        bind(code_.tokens[at + 1].text, module);
        at += 2;
      } else {
        const std::string first = module.substr(0, module.find('.'));
        bind(first, first);
        if (statement.indent == 0) code_.top_modules.insert(module);
      }
      if (at >= statement.end || !code_.tokens[at].is_op(",")) return;
      ++at;
    }
  }

  void read_from(std::uint32_t at, const CodeStatement& statement) {
    const std::uint32_t token = at;
    const std::string module = dotted(at, statement.end);
    if (module.empty() || at >= statement.end || !code_.tokens[at].is_name("import")) return;
    code_.modules.insert(module);
    code_.imports.emplace_back(module, token);
    ++at;
    while (at < statement.end) {
      if (code_.tokens[at].kind != TokenKind::name) {
        if (code_.tokens[at].is_op(";")) return;
        ++at;
        continue;
      }
      const std::string meaning = concat(module, ".", code_.tokens[at].text);
      std::string_view name = code_.tokens[at].text;
      code_.modules.insert(meaning);
      code_.imports.emplace_back(meaning, at);
      if (at + 2 < statement.end && code_.tokens[at + 1].is_name("as")) {
        name = code_.tokens[at + 2].text;
        at += 2;
      }
      bind(name, meaning);
      ++at;
    }
  }

  bool is_import(const CodeStatement& statement) const {
    const CodeToken& first = code_.tokens[statement.first];
    return statement.indent == 0 && (first.is_name("import") || first.is_name("from")) &&
           std::none_of(code_.tokens.begin() + statement.first,
                        code_.tokens.begin() + statement.end,
                        [](const CodeToken& token) { return token.is_op(";"); });
  }

  // After the import of torch, which torch_gcu requires; else after the first imports; else before
  // the first statement that is neither a docstring nor from __future__.
  void find_import_place() {
    std::uint32_t at = 0;
    const auto& statements = code_.statements;
    const auto is_passed_over = [&](const CodeStatement& statement) {
      const CodeToken& first = code_.tokens[statement.first];
      if (first.is_name("from") && statement.first + 1 < statement.end)
        return code_.tokens[statement.first + 1].is_name("__future__");
      return first.kind == TokenKind::string && statement.end == statement.first + 1;
    };
    while (at < statements.size() && is_passed_over(statements[at])) ++at;
    code_.first_import_place = at < statements.size() ? statements[at].line_start : end_of(at);
    std::uint32_t last = at;
    while (last < statements.size() && is_import(statements[last])) ++last;
    for (std::uint32_t i = at; i < statements.size(); ++i) {
      const CodeStatement& statement = statements[i];
      if (!is_import(statement) || statement.first + 1 >= statement.end ||
          !code_.tokens[statement.first + 1].is_name("torch"))
        continue;
      if (i >= last) last = i + 1;
      break;
    }
    code_.import_place =
        last < statements.size() && last == at ? statements[last].line_start : end_of(last);
  }

  // The offset after the last physical line of the previous statement.
  std::size_t end_of(std::uint32_t statement) const {
    if (statement == 0) return code_.source.starts_with("\xef\xbb\xbf") ? 3 : 0;
    const std::size_t end = code_.tokens[code_.statements[statement - 1].end - 1].end();
    const auto at = code_.source.find_first_of("\r\n", end);
    if (at == std::string_view::npos) return code_.source.size();
    return code_.source.substr(at, 2) == "\r\n" ? at + 2 : at + 1;
  }

  bool asks_for_cuda(const CodeStatement& statement) const {
    for (std::uint32_t at = statement.first; at + 2 < statement.end; ++at) {
      if (!code_.tokens[at].is_op(".") || !code_.tokens[at + 1].is_name("is_available")) continue;
      std::uint32_t first = at;
      while (first > statement.first &&
             (code_.tokens[first].is_op(".") || code_.tokens[first].kind == TokenKind::name))
        --first;
      if (!code_.tokens[first].is_name("torch") && !code_.tokens[first].is_name("cuda")) ++first;
      const std::string_view name = code_.binding(first);
      const bool is_cuda = name == "torch.cuda" || (name == "torch" && first + 2 < statement.end &&
                                                    code_.tokens[first + 2].is_name("cuda"));
      if (is_cuda) return first == statement.first || !code_.tokens[first - 1].is_name("not");
    }
    return false;
  }

  void mark_guards() {
    struct Block {
      int indent = 0;
      bool is_guard = false;
    };
    std::vector<Block> blocks;
    for (CodeStatement& statement : code_.statements) {
      while (!blocks.empty() && statement.indent <= blocks.back().indent) blocks.pop_back();
      const bool asks = asks_for_cuda(statement);
      const bool is_within = !blocks.empty() && blocks.back().is_guard;
      statement.is_guarded = asks || is_within;
      const CodeToken& first = code_.tokens[statement.first];
      const bool is_if = first.is_name("if") || first.is_name("elif");
      blocks.push_back({statement.indent, is_within || (asks && is_if)});
    }
  }

  PythonTokens tokens_;
  PythonCode code_;
};

}  // namespace

std::string_view PythonCode::binding(std::uint32_t token) const {
  const auto found = bindings.find(tokens[token].text);
  return found == bindings.end() ? tokens[token].text : std::string_view(found->second);
}

PythonCode python_code(std::string_view source) {
  return Builder(source).run();
}

}  // namespace topsctl

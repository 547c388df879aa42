// Python source for rewrites: significant tokens, statements, and the origin of imported names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topsctl/engine/diagnosis/python_tokens.hpp"

namespace topsctl {

struct CodeToken {
  PythonToken::Kind kind = PythonToken::Kind::name;
  std::string_view text;
  std::uint32_t offset = 0;
  int line = 0;
  std::uint32_t statement = 0;
  std::uint32_t partner = 0;  // of a bracket: the matching one; of other tokens themselves
  bool is_imported = false;   // part of an import statement

  std::size_t end() const { return offset + text.size(); }
  bool is_op(std::string_view op) const { return kind == PythonToken::Kind::op && text == op; }
  bool is_name(std::string_view name) const {
    return kind == PythonToken::Kind::name && text == name;
  }
};

// One logical line.
struct CodeStatement {
  std::uint32_t first = 0;     // code token
  std::uint32_t end = 0;       // after the last one
  std::size_t line_start = 0;  // offset of its physical line
  int indent = 0;
  bool is_guarded = false;  // runs only if torch.cuda.is_available()
};

struct PythonCode {
  std::string_view source;
  std::vector<CodeToken> tokens;
  std::vector<CodeStatement> statements;
  // The meaning of an imported name: "dist" is "torch.distributed". Empty for a name that is
  // imported from several places.
  std::map<std::string, std::string, std::less<>> bindings;
  std::set<std::string, std::less<>> modules;      // imported anywhere, by any form
  std::set<std::string, std::less<>> top_modules;  // `import a.b` at the top level
  // Each imported module, and for `from m import n` also "m.n", with the token of its name.
  std::vector<std::pair<std::string, std::uint32_t>> imports;
  std::size_t import_place = 0;        // where an import can be added
  std::size_t first_import_place = 0;  // the same, before all others
  bool is_entry = false;               // it tests for __main__
  std::string problem;                 // why it is not valid Python; empty: no error found
  int problem_line = 0;

  // The meaning of the first part of a dotted name: "torch.distributed" for "dist.barrier"; the
  // part itself if it is not imported. Empty if imports contradict one another.
  std::string_view binding(std::uint32_t token) const;
};

PythonCode python_code(std::string_view source);

}  // namespace topsctl

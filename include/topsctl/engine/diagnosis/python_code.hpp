// Python source as rewrites look at it: tokens that count, statements, and which names are imported
// from where.
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
  std::uint32_t partner = 0;  // of a bracket: the other one; of others themselves
  bool is_imported = false;   // it stands in an import

  std::size_t end() const { return offset + text.size(); }
  bool is_op(std::string_view op) const { return kind == PythonToken::Kind::op && text == op; }
  bool is_name(std::string_view name) const {
    return kind == PythonToken::Kind::name && text == name;
  }
};

// One logical line.
struct CodeStatement {
  std::uint32_t first = 0;     // code token
  std::uint32_t end = 0;       // behind the last one
  std::size_t line_start = 0;  // offset of its physical line
  int indent = 0;
  bool is_guarded = false;  // only where torch.cuda.is_available() says so
};

struct PythonCode {
  std::string_view source;
  std::vector<CodeToken> tokens;
  std::vector<CodeStatement> statements;
  // What a name stands for that is imported: "dist" is "torch.distributed". Empty for one that is
  // imported from several places.
  std::map<std::string, std::string, std::less<>> bindings;
  std::set<std::string, std::less<>> modules;      // imported anywhere, by any form
  std::set<std::string, std::less<>> top_modules;  // `import a.b` at the top level
  // Each module that is imported, and of `from m import n` also "m.n", with the token of its name.
  std::vector<std::pair<std::string, std::uint32_t>> imports;
  std::size_t import_place = 0;        // where another import can be put
  std::size_t first_import_place = 0;  // the same, before all others
  bool is_entry = false;               // it asks whether it is __main__
  std::string problem;                 // why it is no valid Python; empty: it may be some
  int problem_line = 0;

  // What the first name of a dotted one stands for: of "dist.barrier" it is "torch.distributed";
  // itself, where no import tells. Empty where imports contradict one another.
  std::string_view binding(std::uint32_t token) const;
};

PythonCode python_code(std::string_view source);

}  // namespace topsctl

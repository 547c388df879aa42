// Rewrites: code for other cards in a project's sources, and its replacement.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

// How a place is handled: the runtime shim maps it, it must be changed, or these cards do not
// support it.
enum class Handling { shim, change, cannot };
std::string_view name(Handling handling);

// The extent of a patch: start scripts and settings; also the import of the shim in entry scripts;
// also the process group of MMEngine, in the source.
enum class PatchStyle { settings, import, source };
const std::vector<std::string>& patch_style_names();
std::optional<PatchStyle> patch_style_named(std::string_view name);

struct RewriteExample {
  std::string before;
  std::string after;  // equal to `before`: only reported
  bool operator==(const RewriteExample&) const = default;
};

struct Rewrite {
  enum class Language { python, shell, settings };

  std::string id;  // id of the diagnosis that reports it; several rewrites may share it
  Language language = Language::python;
  Handling handling = Handling::change;
  // Source patterns with holes, any of them: "$name" for one expression or word, "$name..." for any
  // arguments. In Python also "import MODULE"; in shell scripts the words of a command, in settings
  // "$key: $value".
  std::vector<std::string> patterns;
  std::map<std::string, std::string> holes;  // RE2 for the full text of a hole
  std::string strings;      // Python: RE2 for a whole string literal, in addition to the patterns
  std::string replacement;  // for the whole match
  std::map<std::string, std::string> becomes;  // Python: replacements of single holes
  std::string before;                          // a statement to insert before that of the match
  std::vector<std::string> imports;            // modules that the new text needs
  bool is_statement = false;                   // the match is a whole statement, or a whole command
  bool makes_group = false;                    // Python: it starts a process group
  bool needs_group = false;                    // shell: only for a script that does so
  PatchStyle style = PatchStyle::settings;     // the smallest style that changes it
  std::vector<std::string> unless_called;      // not in a file that calls one of them
  std::string unless_word;                     // shell: RE2; not in a script with such a word
  std::vector<std::string> commands;           // shell: the command must have one of these words
  // Shell: the name of a Python file. Applies only if the project has such a file and none of them
  // contains the pattern's text; also inside a quoted word.
  std::string unknown_to;
  std::string api = "both";      // "t2x", "s60", "both" of them, "any": also cuda_api
  std::string backend = "both";  // "eccl", "gloo", "both"
  VariableGrade grade = VariableGrade::plausible;
  std::string source;       // where the new form was found
  bool is_certain = false;  // applied without --accept
  std::vector<RewriteExample> examples;
  bool operator==(const Rewrite&) const = default;

  bool changes() const;  // false: it is only reported
};

// For cards that torch itself supports: no CUDA code is rewritten for them.
inline constexpr const char* cuda_api = "cuda";

// The cards and the backend that the project is to run on.
struct RewriteTarget {
  std::string api = "t2x";
  std::string backend = "eccl";
  bool operator==(const RewriteTarget&) const = default;
};

// The built-in rewrites (src/data/rewrites/*.json), in the order of the files.
const std::vector<Rewrite>& built_in_rewrites();

// {"texts": {NAME: text}, "rewrites": []}: "$NAME" in new text is replaced by that text; $BACKEND
// stays. Throws Error{bad_stack}.
std::vector<Rewrite> parse_rewrites(std::string_view json, const std::string& source);

// The rewrites for the target, with its backend filled in.
std::vector<Rewrite> rewrites_for(const std::vector<Rewrite>& rewrites,
                                  const RewriteTarget& target);

}  // namespace topsctl

// Rewrites: what in a project's sources was meant for other cards, and what it becomes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

// What becomes of a place: the runtime shim does it, it has to be changed, or these cards cannot.
enum class Handling { shim, change, cannot };
std::string_view name(Handling handling);

// How much a patch changes: start scripts and settings; also the import of the shim in entry
// scripts; also the process group of MMEngine, in the source.
enum class PatchStyle { settings, import, source };
const std::vector<std::string>& patch_style_names();
std::optional<PatchStyle> patch_style_named(std::string_view name);

struct RewriteExample {
  std::string before;
  std::string after;  // the same text: only reported
  bool operator==(const RewriteExample&) const = default;
};

struct Rewrite {
  enum class Language { python, shell, settings };

  std::string id;  // of the diagnosis that its place is reported as; several may have the same
  Language language = Language::python;
  Handling handling = Handling::change;
  // Source with holes: "$name" for one expression or word, "$name..." for any arguments. Any of
  // them. In Python also "import MODULE"; in a shell script words of a command, in settings
  // "$key: $value".
  std::vector<std::string> patterns;
  std::map<std::string, std::string> holes;  // RE2 for the whole of a hole
  std::string strings;      // Python: RE2 for the whole of a string literal, besides the patterns
  std::string replacement;  // of the whole match
  std::map<std::string, std::string> becomes;  // Python: of single holes
  std::string before;                          // a statement that is put before that of the match
  std::vector<std::string> imports;            // modules that the new text needs
  bool is_statement = false;                   // the match is a whole statement, or a whole command
  bool makes_group = false;                    // Python: it starts a process group
  bool needs_group = false;                    // shell: only for a script that does so
  PatchStyle style = PatchStyle::settings;     // the least that changes it
  std::vector<std::string> unless_called;      // not in a file that calls one of them
  std::string unless_word;                     // shell: RE2; not in a script that has such a word
  std::vector<std::string> commands;           // shell: one of them is a word of the command
  // Shell: the name of a Python file. Meant only in a project that has one, and none of that name
  // has the pattern's text; also within a quoted word.
  std::string unknown_to;
  std::string api = "both";      // "t2x", "s60", "both" of them, "any": cuda_api, too
  std::string backend = "both";  // "eccl", "gloo", "both"
  VariableGrade grade = VariableGrade::plausible;
  std::string source;       // where the new form was seen
  bool is_certain = false;  // applied without being accepted
  std::vector<RewriteExample> examples;
  bool operator==(const Rewrite&) const = default;

  bool changes() const;  // not: it is only reported
};

// Of cards that torch itself knows: nothing of CUDA is rewritten for them.
inline constexpr const char* cuda_api = "cuda";

// What the project is to run on.
struct RewriteTarget {
  std::string api = "t2x";
  std::string backend = "eccl";
  bool operator==(const RewriteTarget&) const = default;
};

// The rewrites that are built in (src/data/rewrites/*.json), in the order of the files.
const std::vector<Rewrite>& built_in_rewrites();

// {"texts": {NAME: text}, "rewrites": []}: "$NAME" stands for that text in what is put in; $BACKEND
// stays. Throws Error{bad_stack}.
std::vector<Rewrite> parse_rewrites(std::string_view json, const std::string& source);

// Those that are for it, with its backend filled in.
std::vector<Rewrite> rewrites_for(const std::vector<Rewrite>& rewrites,
                                  const RewriteTarget& target);

}  // namespace topsctl

// Rewrites: what in a project's sources was meant for other cards, and what it becomes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

// What is asked of one argument of a call, and what it becomes.
struct ArgumentRule {
  std::string name;         // of the keyword
  int position = -1;        // where it may stand without its name, from 0; -1: nowhere
  std::string matches;      // RE2 for the whole value, a string in single quotes; empty: any
  bool is_needed = false;   // a call without it is not meant
  bool is_dropped = false;  // it goes
  std::string becomes;      // its new value; empty: it stays
  bool operator==(const ArgumentRule&) const = default;
};

struct RewriteExample {
  std::string before;
  std::string after;  // the same text: only reported
  bool operator==(const RewriteExample&) const = default;
};

struct Rewrite {
  enum class Language { python, shell, settings };
  // A rewrite with which the project gets a process group on the cards, and one that makes sense
  // only where there is one.
  enum class Group { none, starts, needs };

  std::string id;  // of the diagnosis that its place is reported as; several may have the same
  Language language = Language::python;
  // Source with holes: "$name" for one expression or word, "$name..." for any arguments. Any of
  // them. In a shell script words of a command, in settings "key: $value".
  std::vector<std::string> patterns;
  std::map<std::string, std::string> holes;  // RE2 for the whole of a hole, as for an argument
  std::vector<ArgumentRule> arguments;       // of the hole "$arguments..."
  std::string replacement;                   // empty: arguments change alone, or nothing does
  std::string before;                        // a statement that is put before that of the match
  std::vector<std::string> imports;          // modules that the new text needs
  bool is_statement = false;                 // the match is a whole statement, or a whole command
  Group group = Group::none;
  std::vector<std::string> unless_called;    // not in a file that calls one of them
  std::vector<std::string> unless_imported;  // not in a project that imports one of them
  std::vector<std::string> commands;         // shell: one of them is a word of the command
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

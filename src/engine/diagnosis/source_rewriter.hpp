// Applies all rewrites for one target to any kind of source.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis/python_rewrites.hpp"
#include "engine/diagnosis/settings_rewrites.hpp"
#include "engine/diagnosis/shell_rewrites.hpp"
#include "engine/diagnosis/source_hits.hpp"
#include "engine/diagnosis/text_edits.hpp"

namespace topsctl {

enum class SourceKind { python, shell, yaml, json, notebook };

struct RewrittenSource {
  FoundRewrites found;  // in the original text; without edits
  EditedText text;      // unchanged if it has a problem
};

class SourceRewriter {
 public:
  SourceRewriter(const std::vector<Rewrite>& rewrites, PatchStyle style,
                 const std::set<std::string>& accepted);

  // Whether a rewrite needs the text of the project's files of this name (ProjectFacts::texts).
  bool asks_of(std::string_view file) const { return shell_.asks_of(file); }
  FoundRewrites find(SourceKind kind, std::string_view text, const ProjectFacts& project) const;
  // Repeats until nothing changes: one rewrite may contain another.
  RewrittenSource rewrite(SourceKind kind, const std::string& text,
                          const ProjectFacts& project) const;

 private:
  PythonRewriter python_;
  ShellRewriter shell_;
  SettingsRewriter settings_;
};

}  // namespace topsctl

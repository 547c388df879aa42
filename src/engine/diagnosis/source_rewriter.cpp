// Chooses the reader of a source, and repeats its rewrites.
#include "engine/diagnosis/source_rewriter.hpp"

#include <utility>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_rounds = 8;  // rewrites in rewrites

}  // namespace

SourceRewriter::SourceRewriter(const std::vector<Rewrite>& rewrites, PatchStyle style,
                               const std::set<std::string>& accepted)
    : python_(rewrites, style, accepted),
      shell_(rewrites, accepted),
      settings_(rewrites, accepted) {}

FoundRewrites SourceRewriter::find(SourceKind kind, std::string_view text,
                                   const ProjectFacts& project) const {
  switch (kind) {
    case SourceKind::python:
      return python_.find(text, project);
    case SourceKind::shell:
      return shell_.find(text, project);
    case SourceKind::yaml:
      return settings_.find(text, SettingsForm::yaml);
    case SourceKind::json:
      return settings_.find(text, SettingsForm::json);
    case SourceKind::notebook:
      break;  // its code is read as Python
  }
  return {};
}

RewrittenSource SourceRewriter::rewrite(SourceKind kind, const std::string& text,
                                        const ProjectFacts& project) const {
  RewrittenSource out{find(kind, text, project), EditedText(text)};
  std::vector<TextEdit> edits = std::exchange(out.found.edits, {});
  for (int round = 0; !edits.empty() && out.text.apply(std::move(edits)); ++round) {
    FoundRewrites next = find(kind, out.text.text(), project);
    if (next.problem.empty() && round < most_rounds) {
      edits = std::move(next.edits);
      continue;
    }
    out.found.problem = next.problem.empty() ? std::string("its changes do not converge")
                                             : format("after the change, {} (line {})",
                                                      next.problem, next.problem_line);
    out.text = EditedText(text);
    break;
  }
  return out;
}

}  // namespace topsctl

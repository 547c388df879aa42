// Every record of the built-in rewrites does what its examples say.
#include "topsctl/model/catalogue/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "engine/diagnosis/source_rewriter.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

ProjectFacts cards() {
  ProjectFacts facts;
  facts.names_cuda = true;
  facts.group_scripts = {"train.py"};
  facts.texts = {{"arguments.py", "group.add_argument('--micro-batch-size')"}};
  return facts;
}

SourceKind kind_of(const Rewrite& rewrite, const std::string& text) {
  if (rewrite.language == Rewrite::Language::python) return SourceKind::python;
  if (rewrite.language == Rewrite::Language::shell) return SourceKind::shell;
  return text.starts_with('{') ? SourceKind::json : SourceKind::yaml;
}

// As the records before it leave it to this one.
std::vector<RewriteTarget> targets_of(const Rewrite& rewrite) {
  std::vector<RewriteTarget> targets;
  for (const std::string api : {"t2x", "s60", cuda_api}) {
    for (const char* backend : {"eccl", "gloo"}) {
      const bool is_of_any = rewrite.api == "any" || (rewrite.api == "both" && api != cuda_api);
      if (!is_of_any && rewrite.api != api) continue;
      if (rewrite.backend == "both" || rewrite.backend == backend)
        targets.push_back({api, backend});
    }
  }
  return targets;
}

TEST(Rewrites, every_example_becomes_what_it_says_and_stays_so) {
  ASSERT_GE(built_in_rewrites().size(), 40U);
  std::map<std::string, std::unique_ptr<SourceRewriter>> rewriters;
  for (const Rewrite& rewrite : built_in_rewrites()) {
    const RewriteTarget target = targets_of(rewrite).front();
    for (const RewriteExample& example : rewrite.examples) {
      SCOPED_TRACE(concat(rewrite.id, " ", target.api, " ", target.backend, "\n", example.before));
      const SourceKind kind = kind_of(rewrite, example.before);
      const std::string accepted = rewrite.is_certain ? "" : rewrite.id;
      auto& made = rewriters[concat(target.api, " ", target.backend, " ", accepted, " ",
                                    patch_style_names()[static_cast<std::size_t>(rewrite.style)])];
      if (!made)
        made = std::make_unique<SourceRewriter>(rewrites_for(built_in_rewrites(), target),
                                                rewrite.style, std::set<std::string>{accepted});
      const SourceRewriter& rewriter = *made;
      const RewrittenSource done = rewriter.rewrite(kind, example.before, cards());
      EXPECT_EQ(done.found.problem, "");
      EXPECT_TRUE(
          std::any_of(done.found.hits.begin(), done.found.hits.end(), [&](const SourceHit& hit) {
            return hit.id == rewrite.id && hit.handling == rewrite.handling;
          }));
      EXPECT_EQ(done.text.text(), example.after);
      EXPECT_TRUE(rewriter.find(kind, done.text.text(), cards()).edits.empty());
    }
  }
}

}  // namespace
}  // namespace topsctl

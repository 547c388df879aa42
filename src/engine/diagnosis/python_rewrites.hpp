// Rewrites of Python source.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagnosis/code_pattern.hpp"
#include "engine/diagnosis/source_hits.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

// The rewrites of one target, compiled.
class PythonRewriter {
 public:
  // `accepted`: ids whose uncertain changes are applied too. Throws Error{internal} for a pattern
  // that cannot be tokenized.
  PythonRewriter(const std::vector<Rewrite>& rewrites, PatchStyle style,
                 std::set<std::string> accepted);

  FoundRewrites find(std::string_view source, const ProjectFacts& project) const;

 private:
  struct Compiled {
    Rewrite rewrite;
    std::vector<std::vector<PatternPart>> patterns;
    std::vector<std::pair<std::string, Pattern>> holes;
  };
  class Search;

  bool changes(const Rewrite& rewrite) const {
    return rewrite.style == PatchStyle::settings || rewrite.style == style_;
  }

  std::vector<std::unique_ptr<Compiled>> rewrites_;
  // Rewrite and pattern, by the first name of a chain or by the name of an attribute.
  using Starts =
      std::map<std::string, std::vector<std::pair<std::size_t, std::size_t>>, std::less<>>;
  Starts chains_;
  Starts attributes_;
  std::vector<std::pair<std::string, std::size_t>> imports_;  // modules
  std::vector<std::pair<Pattern, std::size_t>> strings_;
  PatchStyle style_;
  std::set<std::string> accepted_;
};

}  // namespace topsctl

// Rewrites of words in shell scripts.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagnosis/source_hits.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

class ShellRewriter {
 public:
  ShellRewriter(const std::vector<Rewrite>& rewrites, std::set<std::string> accepted);

  FoundRewrites find(std::string_view script, const ProjectFacts& project) const;
  // Whether ProjectFacts::texts must have the files of this name.
  bool asks_of(std::string_view file) const;

 private:
  struct Compiled {
    Rewrite rewrite;
    std::vector<std::vector<std::string>> patterns;  // words
    std::vector<std::pair<std::string, Pattern>> holes;
    std::vector<Pattern> unless_word;  // none or one
  };
  class Search;

  std::vector<Compiled> rewrites_;
  std::set<std::string> accepted_;
};

}  // namespace topsctl

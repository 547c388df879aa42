// Rewrites of values in YAML and JSON.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagnosis/source_hits.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

enum class SettingsForm { yaml, json };

class SettingsRewriter {
 public:
  SettingsRewriter(const std::vector<Rewrite>& rewrites, std::set<std::string> accepted);

  FoundRewrites find(std::string_view text, SettingsForm form) const;

 private:
  struct Compiled {
    Rewrite rewrite;
    Pattern key;
    Pattern value;
  };
  std::vector<Compiled> rewrites_;
  std::set<std::string> accepted_;
};

}  // namespace topsctl

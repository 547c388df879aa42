// The differences between two bundles in Markdown.
#pragma once

#include <string>

#include "topsctl/engine/reporting/bundle_diff.hpp"

namespace topsctl {

struct MarkdownDiffFrame {
  std::string before;  // what the bundles are called
  std::string after;
  std::string created_at;  // RFC 3339, UTC; empty: the report bears no time
};

// A table of the packages, then what changed in each; as bounded as the value itself.
std::string markdown_diff(const BundleDiff& diff, const MarkdownDiffFrame& frame);

}  // namespace topsctl

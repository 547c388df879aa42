// A report on a bundle in Markdown, for tickets, wikis and mails.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/inspection/stack_match.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

struct MarkdownFrame {
  std::string title;       // the bundle's name
  std::string created_at;  // RFC 3339, UTC; empty: the report has no time
  std::vector<StackMatch> stacks;
};

// GitHub-flavoured Markdown: counts, components of each stack, variables of the vendor, tools and
// scripts for distributed training, documents, the largest files, wheels by Python version,
// archived versions, findings worst first. Deterministic. At most 200 rows per list.
std::string markdown_report(const Inspection& inspection, const std::vector<Finding>& findings,
                            const MarkdownFrame& frame);

// One line of text that Markdown shows unchanged, in tables and lists too: printable, without
// markup, HTML, links or line ends.
std::string markdown_text(std::string_view text);

}  // namespace topsctl

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
  std::string created_at;  // RFC 3339, UTC; empty: the report bears no time
  std::vector<StackMatch> stacks;
};

// GitHub-flavoured Markdown: counts, components of each stack, variables of the vendor, tools and
// scripts for distributed training, documents, the biggest files, wheels by Python version,
// archived versions, findings worst first. The same values give the same text. At most 200 rows a
// list.
std::string markdown_report(const Inspection& inspection, const std::vector<Finding>& findings,
                            const MarkdownFrame& frame);

// One line of text that Markdown shows as it is, in a table or a list too: printable, without
// markup, HTML, links or line ends.
std::string markdown_text(std::string_view text);

}  // namespace topsctl

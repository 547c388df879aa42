// A report on a bundle in Markdown, for tickets, wikis and mails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

// A file as the report speaks of it: a package, container or other file, or one within a package.
struct BundleFile {
  std::string place;  // printable
  std::uint64_t size = 0;
  bool operator==(const BundleFile&) const = default;
};
// Programs of the ECCL package and eccl_*_perf; .py and .sh files whose name tells of training.
std::vector<BundleFile> training_files(const Inspection& inspection);
// Manuals, licences and the like, by their names.
std::vector<BundleFile> document_files(const Inspection& inspection);
// Packages, containers, other files and what is in packages, the biggest first.
std::vector<BundleFile> biggest_files(const Inspection& inspection, std::size_t most);
// Variables set in scripts and packages, and how often each is set so.
std::map<Setting, std::uint64_t> all_settings(const Inspection& inspection);

}  // namespace topsctl

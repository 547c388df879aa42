// Reads the database of update-alternatives(1).
#include "topsctl/host/debian/alternatives.hpp"

#include <filesystem>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_group = 1U << 20U;

// A group's file: its state, its link, then the name and link of each slave, up to an empty line.
void add_links(const std::string& text, std::vector<std::string>& links) {
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() > 1 && lines[1].starts_with('/')) links.push_back(lines[1]);
  for (std::size_t i = 2; i + 1 < lines.size() && !lines[i].empty(); i += 2) {
    if (lines[i + 1].starts_with('/')) links.push_back(lines[i + 1]);
  }
}

}  // namespace

std::vector<std::string> alternative_links(const Host& host) {
  std::vector<std::string> links;
  std::error_code failure;
  for (auto at = std::filesystem::directory_iterator(
           host.resolve(concat(dpkg_directory, "/alternatives")), failure);
       !failure && at != std::filesystem::directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    if (const auto text = read_text_if_present(at->path(), most_group)) add_links(*text, links);
  }
  return links;
}

}  // namespace topsctl

// Findings on a single package.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether it is intact, what it contains, and whether its metadata agree with its data; script
// effects are in script_findings.hpp. One finding per id, with the evidence of all files.
// `contents` is null if the data was not read. Pure.
std::vector<Finding> package_findings(const Package& package, const Contents* contents);

// The finding on files of a deb that are loaded, run or obeyed, if other users can change them.
inline constexpr const char* open_finding = "library-open-to-others";
// Those files, with links and directories: ELF by content, hard links to such, what is named as a
// library, programs, scripts, directories that are searched for them, and all in the system's own
// directories. Pure.
std::set<std::string> loaded_files(const Package& deb, const Contents* contents);
// Whether it is a link to where every user may make files. Pure.
bool leads_to_others(const PayloadEntry& entry);

// Whether a finding of that id on a wheel cannot be accepted: pip could not install it, or it does
// not match its RECORD.
bool is_final_for_wheels(std::string_view id);

}  // namespace topsctl

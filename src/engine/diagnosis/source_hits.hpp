// Places of a project's sources that rewrites match.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/diagnosis/text_edits.hpp"
#include "topsctl/model/catalogue/rewrite.hpp"

namespace topsctl {

struct SourceHit {
  std::string id;
  Handling handling = Handling::change;
  int line = 0;             // of its first token
  std::string text;         // that line
  bool is_guarded = false;  // runs only if torch.cuda.is_available()
  bool has_rewrite = false;
  bool is_certain = false;  // applied without being accepted
  bool is_applied = false;
  bool operator==(const SourceHit&) const = default;
};
inline auto members_of(SourceHit& value) {
  auto& [id, handling, line, text, is_guarded, has_rewrite, is_certain, is_applied] = value;
  return std::tie(id, handling, line, text, is_guarded, has_rewrite, is_certain, is_applied);
}

// Facts about the whole project that rewrites need.
struct ProjectFacts {
  bool names_cuda = false;                           // somewhere in Python
  std::set<std::string, std::less<>> group_scripts;  // names of files that create a process group
  std::map<std::string, std::string, std::less<>>
      texts;  // of files that a rewrite asks of, by name
};

// The results of one pass over a text.
struct FoundRewrites {
  std::vector<SourceHit> hits;
  std::vector<TextEdit> edits;  // of the hits that are applied
  std::string problem;          // why it could not be read
  int problem_line = 0;
  bool makes_group = false;
};

// The line of that offset, without spaces around it.
std::string line_around(std::string_view text, std::size_t offset);
// The line break that the text uses first; "\n" if it has none.
std::string_view line_break_of(std::string_view text);

}  // namespace topsctl

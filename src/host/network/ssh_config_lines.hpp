// Lines, words and patterns of ssh_config files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct SshConfigLine {
  std::string keyword;             // in lower case, under its present name
  std::string written;             // as written
  std::string rest;                // the rest of the line, as written
  std::vector<std::string> words;  // the same, split into words
  bool is_sound = true;            // false: a quote or the value is missing
};

// Nothing of an empty line or a comment.
std::optional<SshConfigLine> ssh_config_line(std::string_view line);

// Removes and returns the next word of the conditions of `Match`; "" at the end.
std::string next_match_word(std::string_view& rest);

// Whether a name is like a pattern with `*` and `?`.
bool is_like(std::string_view name, std::string_view pattern);
// Whether it matches one of some patterns and none of those that begin with `!`.
bool fits_patterns(const std::string& name, const std::vector<std::string>& patterns);

enum class SshKeyword {
  used,      // has the same effect as in OpenSSH
  adds_up,   // the same, and further lines add values
  harmless,  // irrelevant for reaching a host, and not reported
  ignored,   // would matter if it is switched on
  unknown,
};
SshKeyword kind_of_keyword(const std::string& keyword);

// "%h" and the like replaced; nothing if a token is unknown.
std::optional<std::string> with_tokens(std::string_view text,
                                       const std::map<char, std::string>& tokens);

std::optional<unsigned> ssh_port(const std::string& text);
// Whether a name may go into command lines of ProxyCommand and Match exec.
bool is_harmless_name(std::string_view name);

// A duration in the form of ConnectTimeout, in seconds; nothing if it is invalid.
std::optional<int> ssh_seconds(std::string_view text);

// Whether a list of algorithms begins with +, - or ^, and so changes the usual one.
bool changes_usual(const std::string& list);
// The default list with the change applied: added (+), removed (-, patterns) or put first (^).
std::string changed_list(const std::string& usual, const std::string& change);

}  // namespace topsctl

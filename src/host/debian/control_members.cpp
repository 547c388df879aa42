// Reads conffiles and triggers line by line, as dpkg does.
#include "host/debian/control_members.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg_refusal.hpp"
#include "topsctl/model/relation_parser.hpp"

namespace topsctl {

namespace {

// Sizes of dpkg's buffers, the line end counted.
constexpr std::size_t longest_conffile_line = 997;
constexpr std::size_t longest_trigger_line = 255;

// Moves `text` on behind its first line, which is given without its end.
std::string_view take_line(std::string_view& text, std::size_t longest, const char* member,
                           const std::string& subject) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  const auto refuse = [&](const char* why) {
    throw DpkgRefusal(subject,
                      format("a line of {} {}: {}", member, why, in_quotes(shortened(line, 60))));
  };
  if (end == std::string_view::npos) refuse("has no newline");
  if (line.size() + 1 > longest) refuse("is too long");
  if (line.find('\0') != std::string_view::npos) refuse("contains a NUL byte");
  text.remove_prefix(end + 1);
  return line;
}

std::string_view without_blanks_behind(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r\v\f");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// A trigger name: like a package name, without '_'; or a path.
bool is_trigger_name(std::string_view name) {
  if (!name.starts_with('/'))
    return is_package_name(name) && name.find('_') == std::string_view::npos;
  return !name.ends_with('/') && name.find("//") == std::string_view::npos;
}

}  // namespace

Conffiles read_conffiles(std::string_view text, const std::string& subject) {
  constexpr std::string_view flag = "remove-on-upgrade ";
  Conffiles conffiles;
  while (!text.empty()) {
    std::string_view line =
        without_blanks_behind(take_line(text, longest_conffile_line, "conffiles", subject));
    if (line.empty()) continue;
    const bool is_removed = line.starts_with(flag);
    const std::string_view path = is_removed ? line.substr(flag.size()) : line;
    if (!path.starts_with('/')) {
      throw DpkgRefusal(subject, format("a line of conffiles is not an absolute path: {}",
                                        in_quotes(shortened(line, 60))));
    }
    (is_removed ? conffiles.removed : conffiles.kept).emplace_back(path);
  }
  return conffiles;
}

void require_sound_triggers(std::string_view text, const std::string& subject) {
  constexpr std::array<std::string_view, 6> directives = {"interest",         "interest-await",
                                                          "interest-noawait", "activate",
                                                          "activate-await",   "activate-noawait"};
  while (!text.empty()) {
    std::string_view line = take_line(text, longest_trigger_line, "triggers", subject);
    const auto refuse = [&](const char* why) {
      throw DpkgRefusal(subject,
                        format("a line of triggers {}: {}", why, in_quotes(shortened(line, 60))));
    };
    constexpr std::string_view blanks = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (line.empty() || line.starts_with('#')) continue;
    const auto blank = line.find_first_of(blanks);
    if (blank == std::string_view::npos) refuse("names no trigger");
    const std::string_view directive = line.substr(0, blank);
    std::string_view name = line.substr(blank);
    name.remove_prefix(name.find_first_not_of(blanks));
    if (std::find(directives.begin(), directives.end(), directive) == directives.end()) {
      refuse("has a directive unknown to dpkg");
    }
    const bool is_plain = std::all_of(name.begin(), name.end(),
                                      [](unsigned char byte) { return byte > ' ' && byte < 0x7f; });
    if (!is_plain) {
      refuse("has a name with a blank or a non-ASCII character");
    }
    if (directive.starts_with("interest") && !is_trigger_name(name)) {
      refuse("has an invalid trigger name");
    }
  }
}

}  // namespace topsctl

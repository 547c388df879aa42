// Finds absolute paths in the text of scripts.
#include "engine/planning/script_paths.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_mentioned = 2000;

bool is_name_character(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || std::string_view("._+-:@%,~").find(c) != std::string_view::npos;
}

// What may stand before a path in a shell script: "x/y" and "$x/y" are none.
bool begins_word(char c) {
  return !is_name_character(c) && c != '/' && c != '$' && c != '}' && c != ')' && c != '*' &&
         c != ']' && c != '?' && c != '\\';
}

bool is_elsewhere(const std::string& path) {
  constexpr std::array<std::string_view, 8> folders = {"/dev", "/proc",    "/sys",     "/run",
                                                       "/tmp", "/var/run", "/var/tmp", "/var/log"};
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path == folder || path.starts_with(concat(folder, "/"));
  });
}

// The path that begins here, without what a shell replaces.
std::string path_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '/' || is_name_character(text[end]))) ++end;
  std::string path(text.substr(0, end));
  const bool is_pattern =
      end < text.size() && std::string_view("$*?[{`\\").find(text[end]) != std::string_view::npos;
  if (is_pattern) path.resize(path.rfind('/'));
  // Punctuation of sentences and of PATH-like lists is no part of a name.
  path.resize(std::min(path.find(':'), path.size()));
  while (!path.empty() && (path.back() == '/' || path.back() == '.' || path.back() == ',')) {
    path.pop_back();
  }
  return path;
}

bool is_plain(const std::string& path) {
  return path.size() > 1 && path.find("//") == std::string::npos &&
         concat(path, "/").find("/../") == std::string::npos &&
         concat(path, "/").find("/./") == std::string::npos;
}

}  // namespace

std::set<std::string> mentioned_paths(std::string_view script) {
  std::set<std::string> paths;
  for (std::size_t at = script.find('/');
       at != std::string_view::npos && paths.size() < most_mentioned;
       at = script.find('/', at + 1)) {
    if (at > 0 && !begins_word(script[at - 1])) continue;
    std::string path = path_at(script.substr(at));
    if (is_plain(path) && !is_elsewhere(path)) paths.insert(std::move(path));
  }
  return paths;
}

}  // namespace topsctl

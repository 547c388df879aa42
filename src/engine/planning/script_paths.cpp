// Finds absolute paths in the text of scripts.
#include "engine/planning/script_paths.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_mentioned = 2000;

bool is_name_character(char c) {
  const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_word || std::string_view("._+-:@%,~").find(c) != std::string_view::npos;
}

// Characters that may precede a path in a shell script: "x/y" and "$x/y" are not absolute paths.
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

// The path that begins here, up to a shell expansion.
std::string path_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '/' || is_name_character(text[end]))) ++end;
  std::string path(text.substr(0, end));
  const bool is_pattern =
      end < text.size() && std::string_view("$*?[{`\\").find(text[end]) != std::string_view::npos;
  if (is_pattern) path.resize(path.rfind('/'));
  // Punctuation of sentences and of PATH-like lists is not part of a name.
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

std::vector<std::string> paths_in(std::string_view line) {
  std::vector<std::string> paths;
  for (std::size_t at = line.find('/'); at != std::string_view::npos; at = line.find('/', at + 1)) {
    if (at > 0 && !begins_word(line[at - 1])) continue;
    std::string path = path_at(line.substr(at));
    if (is_plain(path)) paths.push_back(std::move(path));
  }
  return paths;
}

// The names of the files that a command puts into a directory, its last argument.
std::vector<std::string> names_put(const std::string& command) {
  constexpr std::array<std::string_view, 4> putting = {"cp", "mv", "install", "ln"};
  std::vector<std::string> names;
  bool is_putting = false;
  for (std::string word : split(command, ' ')) {
    std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
    if (is_putting && !word.starts_with('-')) names.push_back(word.substr(word.rfind('/') + 1));
    is_putting = is_putting || std::count(putting.begin(), putting.end(), word) > 0;
  }
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || !std::all_of(name.begin(), name.end(), is_name_character);
  });
  return names;
}

}  // namespace

std::set<std::string> mentioned_paths(std::string_view script) {
  std::string text(script);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ';' || c == '&' || c == '|'; }, '\n');
  std::set<std::string> paths;
  for (const std::string& command : split(text, '\n')) {
    std::vector<std::string> found = paths_in(command);
    if (!found.empty()) {
      const std::string folder = found.back();
      for (const std::string& name : names_put(command)) {
        if (!folder.ends_with(concat("/", name))) found.push_back(concat(folder, "/", name));
      }
    }
    for (std::string& path : found) {
      if (paths.size() < most_mentioned && !is_elsewhere(path)) paths.insert(std::move(path));
    }
  }
  return paths;
}

}  // namespace topsctl

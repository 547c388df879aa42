// Reads ssh_config files: blocks of Host and Match, Include, and the few keywords that are asked
// for.
#include "host/network/ssh_config.hpp"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Words of a line: separated by blanks, or by one '=' after the keyword; quoted ones may hold
// blanks.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (at < line.size()) {
    while (at < line.size() && (is_blank(line[at]) || (line[at] == '=' && words.size() == 1))) ++at;
    if (at == line.size() || (line[at] == '#' && words.empty())) break;
    std::string word;
    if (line[at] == '"') {
      const auto end = std::min(line.find('"', at + 1), line.size());
      word = line.substr(at + 1, end - at - 1);
      at = std::min(end + 1, line.size());
    } else {
      while (at < line.size() && !is_blank(line[at]) && !(line[at] == '=' && words.empty()))
        word.push_back(line[at++]);
    }
    words.push_back(std::move(word));
  }
  return words;
}

class Reader {
 public:
  Reader(const std::string& host, const fs::path& home) : host_(host), home_(home) {}

  void read(const fs::path& file, int depth) {
    const auto text = read_text_if_present(file, 1U << 20U);
    if (!text) return;
    bool is_meant = true;
    for (const std::string& line : split(*text, '\n')) {
      std::vector<std::string> words = words_of(line);
      if (words.size() < 2) continue;
      const std::string keyword = lower_case(words.front());
      words.erase(words.begin());
      if (keyword == "host") {
        is_meant = fits_patterns(host_, words);
      } else if (keyword == "match") {
        is_meant = is_match(words);
      } else if (is_meant && keyword == "include" && depth < 16) {
        include(words, file, depth);
      } else if (is_meant) {
        take(keyword, words);
      }
    }
  }

  SshConfig config;

 private:
  bool is_match(const std::vector<std::string>& words) const {
    if (words.size() == 1) return lower_case(words[0]) == "all";
    const std::string criterion = lower_case(words[0]);
    return words.size() == 2 && (criterion == "host" || criterion == "originalhost") &&
           fits_patterns(host_, split(words[1], ','));
  }

  void take(const std::string& keyword, const std::vector<std::string>& values) {
    const std::string& value = values.front();
    if (keyword == "userknownhostsfile" && config.known_hosts.empty()) {
      for (const std::string& file : values) {
        config.known_hosts.push_back(file.starts_with("~/") ? (home_ / file.substr(2)).string()
                                                            : file);
      }
    }
    if (keyword == "stricthostkeychecking" && !config.strict_host_key_checking)
      config.strict_host_key_checking = lower_case(value);
    if (keyword == "proxyjump" && !config.proxy_jump) config.proxy_jump = value;
    // Whichever of both comes first counts.
    if (keyword == "proxycommand" && !config.proxy_jump) config.proxy_jump = "none";
    constexpr std::array<std::string_view, 5> algorithms = {
        "kexalgorithms", "ciphers", "macs", "hostkeyalgorithms", "pubkeyacceptedalgorithms"};
    const std::string now =
        keyword == "pubkeyacceptedkeytypes" ? "pubkeyacceptedalgorithms" : keyword;
    if (std::find(algorithms.begin(), algorithms.end(), now) != algorithms.end())
      config.algorithms.emplace(now, value);
  }

  void include(const std::vector<std::string>& patterns, const fs::path& file, int depth) {
    for (const std::string& pattern : patterns) {
      fs::path place = pattern.starts_with("~/") ? home_ / pattern.substr(2) : fs::path(pattern);
      if (place.is_relative()) place = file.parent_path() / place;
      glob_t found{};
      if (::glob(place.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) read(found.gl_pathv[i], depth + 1);
      }
      ::globfree(&found);
    }
  }

  const std::string& host_;
  const fs::path& home_;
};

}  // namespace

bool changes_usual(const std::string& list) {
  return !list.empty() && std::string_view("+-^").find(list.front()) != std::string_view::npos;
}

std::string changed_list(const std::string& usual, const std::string& change) {
  std::vector<std::string> list = split(usual, ',');
  std::vector<std::string> named = split(change.substr(1), ',');
  if (change.front() == '+') {
    std::erase_if(named, [&](const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    });
    list.insert(list.end(), named.begin(), named.end());
  } else {
    std::erase_if(list, [&](const std::string& name) { return fits_patterns(name, named); });
    if (change.front() == '^') list.insert(list.begin(), named.begin(), named.end());
  }
  return joined(list, ",");
}

bool fits_patterns(const std::string& name, const std::vector<std::string>& patterns) {
  const auto fits = [&](const std::string& pattern) {
    return ::fnmatch(lower_case(pattern).c_str(), lower_case(name).c_str(), FNM_NOESCAPE) == 0;
  };
  bool is_named = false;
  for (const std::string& pattern : patterns) {
    const bool is_against = pattern.starts_with('!');
    if (!fits(is_against ? pattern.substr(1) : pattern)) continue;
    if (is_against) return false;
    is_named = true;
  }
  return is_named;
}

SshConfig ssh_config_of(const std::vector<fs::path>& files, const std::string& host,
                        const fs::path& home) {
  Reader reader(host, home);
  for (const fs::path& file : files) reader.read(file, 0);
  return reader.config;
}

}  // namespace topsctl

// Reads ssh_config files: blocks of Host and Match, Include, first values, and the second reading
// that canonical names and `Match final` ask for.
#include "host/network/ssh_config.hpp"

#include <glob.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "host/network/ssh_config_lines.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

constexpr int most_includes = 16;
constexpr int most_included = 1000;  // in a reading: files that include each other are read often

std::string with_home(std::string_view text, const fs::path& home) {
  if (text == "~") return home.string();
  return text.starts_with("~/") ? (home / text.substr(2)).string() : std::string(text);
}

// An address in its usual form; nothing of a name.
std::optional<std::string> usual_address(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  std::array<char, NI_MAXHOST> text{};
  const bool is_reported = ::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(),
                                         text.size(), nullptr, 0, NI_NUMERICHOST) == 0;
  ::freeaddrinfo(found);
  return is_reported ? std::string(text.data()) : host;
}

std::string own_host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

class Reader {
 public:
  Reader(const SshConfigQuery& query, SshConfig& config) : query_(query), config_(config) {}

  // `host` is compared with Host and Match: first as given, later the canonical name.
  void read_all(const std::string& host, bool is_final) {
    host_ = host;
    is_final_ = is_final;
    included_ = 0;
    for (std::size_t i = 0; i < query_.files.size(); ++i) {
      bool is_meant = true;
      is_of_user_ = i == 0;
      read(query_.files[i], 0, is_meant, true);
    }
  }

  bool wants_final() const { return wants_final_; }

 private:
  // The tokens for commands of Match and for file names, as known so far.
  std::map<char, std::string> tokens() const {
    const std::string local = own_host_name();
    const std::string alias = config_.value("hostkeyalias");
    return {{'h', target()},
            {'n', query_.host},
            {'k', alias.empty() ? query_.host : alias},
            {'p', concat(port())},
            {'r', user()},
            {'u', query_.local_user},
            {'l', local},
            {'L', local.substr(0, local.find('.'))},
            {'d', query_.home.string()},
            {'i', concat(::getuid())},
            {'j', config_.value("proxyjump")}};
  }

  std::string target() const {
    if (is_final_) return host_;
    const std::string name = config_.value("hostname");
    return name.empty() ? query_.host
                        : with_tokens(name, {{'h', query_.host}}).value_or(query_.host);
  }
  unsigned port() const {
    constexpr unsigned usual = 22;
    return query_.port != 0 ? query_.port : ssh_port(config_.value("port")).value_or(usual);
  }
  std::string user() const {
    if (!query_.user.empty()) return query_.user;
    const std::string said = config_.value("user");
    return said.empty() ? query_.local_user : said;
  }

  // `may_count`: false below an Include that does not count.
  void read(const fs::path& file, int depth, bool& is_meant, bool may_count) {
    const auto text = read_text_if_present(file, 1U << 20U);
    if (!text) return;
    file_ = file;
    for (const std::string& line : split(*text, '\n')) {
      const auto found = ssh_config_line(line);
      if (!found) continue;
      if (!found->is_sound) {
        if (is_meant) ignore(format("{} in {} is not complete", shown(*found), file_.string()));
      } else if (found->keyword == "host") {
        for (const std::string& word : found->words) {
          if (is_harmless_name(word) && word.front() != '!') config_.named_hosts.insert(word);
        }
        is_meant = may_count && fits_patterns(host_, found->words);
      } else if (found->keyword == "match") {
        is_meant = is_match(*found, may_count) && may_count;
      } else if (found->keyword == "include") {
        if (depth == most_includes) continue;
        include(found->words, depth, is_meant);
        file_ = file;
      } else if (is_meant) {
        take(*found);
      }
    }
  }

  void include(const Words& patterns, int depth, bool is_meant) {
    for (const std::string& pattern : patterns) {
      fs::path place = with_home(pattern, query_.home);
      if (place.is_relative()) place = (is_of_user_ ? query_.home / ".ssh" : "/etc/ssh") / place;
      glob_t found{};
      std::vector<fs::path> files;
      if (::glob(place.c_str(), 0, nullptr, &found) == 0)
        files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);  // NOLINT: the C library's
      ::globfree(&found);
      for (const fs::path& file : files) {
        throw_if_interrupted();
        require_few_includes();
        bool is_meant_there = is_meant;
        read(file, depth + 1, is_meant_there, is_meant);
      }
    }
  }

  void require_few_includes() {
    if (++included_ <= most_included) return;
    throw Error(ErrorCode::usage,
                format("{} includes more than {} files", in_quotes(file_.string()), most_included),
                "check the Include lines for a circle");
  }

  bool is_match(const SshConfigLine& line, bool may_count) {
    std::string_view rest = line.rest;
    bool is_right = true;
    for (;;) {
      std::string word = lower_case(next_match_word(rest));
      if (word.empty() || word.starts_with('#')) return is_right;
      const bool is_against = word.starts_with('!');
      if (is_against) word.erase(0, 1);
      bool holds = true;
      if (word == "canonical" || word == "final") {
        wants_final_ = wants_final_ || word == "final";
        holds = is_final_;
      } else if (word != "all") {
        const std::string value = next_match_word(rest);
        const auto judged =
            value.empty() ? std::nullopt : judge(word, value, is_right && may_count, line);
        if (!judged) {
          if (may_count) ignore(format("{} in {} is not supported", shown(line), file_.string()));
          return false;
        }
        holds = *judged;
      }
      is_right = is_right && holds != is_against;
    }
  }

  // Whether one condition holds; nothing if it is not known.
  std::optional<bool> judge(const std::string& word, const std::string& value, bool may_run,
                            const SshConfigLine& line) {
    const auto fits = [&](const std::string& name, const std::string& patterns) {
      return fits_patterns(name, split(patterns, ','));
    };
    if (word == "host") return fits(lower_case(target()), lower_case(value));
    if (word == "originalhost") return fits(lower_case(query_.host), lower_case(value));
    if (word == "user") return fits(user(), value);
    if (word == "localuser") return fits(query_.local_user, value);
    if (word != "exec") return std::nullopt;
    if (!may_run || !query_.run) return false;
    const auto command = with_tokens(value, tokens());
    if (command && is_harmless_name(target()) && is_harmless_name(user()))
      return query_.run(*command);
    if (command)
      ignore(format("{} in {} is not safe to run", shown(line), file_.string()));
    else
      ignore(format("{} in {} has an unsupported token", shown(line), file_.string()));
    return false;
  }

  void take(const SshConfigLine& line) {
    auto& values = config_.values;
    const std::string& keyword = line.keyword;
    switch (kind_of_keyword(keyword)) {
      case SshKeyword::harmless:
        // These decide whether an open connection may be used.
        if (keyword == "controlpath" || keyword == "ignoreunknown")
          values.try_emplace(keyword, line.words);
        return;
      case SshKeyword::ignored:
        if (is_switched_on(line))
          ignore(format("{} in {} is not supported", shown(line), file_.string()));
        return;
      case SshKeyword::unknown:
        if (!fits_patterns(keyword, split(lower_case(config_.value("ignoreunknown")), ',')))
          ignore(format("{} in {} is not known", shown(line), file_.string()));
        return;
      case SshKeyword::adds_up: {
        Words& list = values[keyword];
        if (std::find(list.begin(), list.end(), line.words.front()) == list.end())
          list.push_back(line.words.front());
        return;
      }
      case SshKeyword::used:
        break;
    }
    if (keyword == "port" && !ssh_port(line.words.front()))
      return ignore(format("{} in {} is not a port", shown(line), file_.string()));
    if (keyword == "connecttimeout" && !ssh_seconds(line.words.front()))
      return ignore(format("{} in {} is not a length of time", shown(line), file_.string()));
    // The one that comes first counts.
    const bool is_way = keyword == "proxyjump" || keyword == "proxycommand";
    if (is_way && (values.contains("proxyjump") || values.contains("proxycommand"))) return;
    values.try_emplace(keyword, is_way ? Words{std::string(trimmed(line.rest))} : line.words);
  }

  // Debian's system-wide file enables GSSAPI for all hosts.
  bool is_switched_on(const SshConfigLine& line) const {
    const std::string value = lower_case(line.words.front());
    return value != "no" && value != "false" && value != "none" && value != "internal" &&
           (is_of_user_ || line.keyword != "gssapiauthentication");
  }

  static std::string shown(const SshConfigLine& line) {
    constexpr std::size_t longest = 100;
    return in_quotes(shortened(printable(concat(line.written, " ", trimmed(line.rest))), longest));
  }

  void ignore(const std::string& note) {
    auto& list = config_.ignored;
    if (std::find(list.begin(), list.end(), note) == list.end()) list.push_back(note);
  }

  friend SshConfig topsctl::ssh_config_of(const SshConfigQuery& query);

  const SshConfigQuery& query_;
  SshConfig& config_;
  std::string host_;
  fs::path file_;  // the file being read
  bool is_final_ = false;
  int included_ = 0;
  bool is_of_user_ = true;
  bool wants_final_ = false;
};

// The name under a canonical domain, or its CNAME if CanonicalizePermittedCNAMEs allows it.
std::optional<std::string> canonical_name(const SshConfigQuery& query, const SshConfig& config,
                                          const std::string& host) {
  const auto resolved = [&](const std::string& name) -> std::optional<std::string> {
    const auto alias = query.resolve ? query.resolve(concat(name, ".")) : std::nullopt;
    if (!alias) return std::nullopt;
    const auto rules = config.values.find("canonicalizepermittedcnames");
    if (rules == config.values.end()) return name;
    for (const std::string& rule : rules->second) {
      const std::size_t colon = rule.find(':');
      if (colon == std::string::npos) continue;
      if (fits_patterns(name, split(rule.substr(0, colon), ',')) &&
          fits_patterns(lower_case(*alias), split(rule.substr(colon + 1), ',')))
        return lower_case(*alias);
    }
    return name;
  };
  if (host.ends_with('.')) return resolved(host.substr(0, host.size() - 1));
  const std::string said = config.value("canonicalizemaxdots");
  const long most_dots = is_digits(said) ? std::stol(said.substr(0, 9)) : 1;
  if (std::count(host.begin(), host.end(), '.') > most_dots) return std::nullopt;
  const auto domains = config.values.find("canonicaldomains");
  if (domains == config.values.end()) return std::nullopt;
  for (const std::string& domain : domains->second) {
    if (lower_case(domain) == "none") break;
    if (auto name = resolved(concat(host, ".", domain))) return name;
  }
  if (config.is_yes("canonicalizefallbacklocal", true)) return std::nullopt;
  throw Error(ErrorCode::unreachable,
              format("cannot resolve {} in any of CanonicalDomains", in_quotes(host)),
              "check CanonicalDomains and CanonicalizeFallbackLocal in ssh_config");
}

bool goes_directly(const SshConfig& config) {
  const auto is_said = [&](const char* keyword) {
    const std::string value = lower_case(config.value(keyword));
    return !value.empty() && value != "none";
  };
  return !is_said("proxyjump") && !is_said("proxycommand");
}

}  // namespace

std::string SshConfig::value(const std::string& keyword) const {
  const auto found = values.find(keyword);
  return found == values.end() || found->second.empty() ? "" : found->second.front();
}

bool SshConfig::is_yes(const std::string& keyword, bool usual) const {
  const std::string said = lower_case(value(keyword));
  return said.empty() ? usual : said != "no" && said != "false";
}

std::string SshConfig::expanded_text(std::string_view text) const {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find("${"), text.size());
    result.append(text.substr(0, begin));
    text.remove_prefix(begin);
    const std::size_t end = text.find('}');
    if (text.empty() || end == std::string_view::npos) break;
    const auto found = environment.find(std::string(text.substr(2, end - 2)));
    if (found == environment.end()) {
      throw Error(ErrorCode::usage,
                  format("ssh_config needs the variable {}, which is not set",
                         in_quotes(text.substr(2, end - 2))),
                  "set it, or change this line of ssh_config");
    }
    result += found->second;
    text.remove_prefix(end + 1);
  }
  result.append(text);
  if (auto done = with_tokens(result, tokens)) return *std::move(done);
  throw Error(ErrorCode::usage, format("unsupported token in {} of ssh_config", in_quotes(result)),
              "write the value without it");
}

std::vector<std::string> SshConfig::expanded(const std::string& keyword) const {
  Words result;
  const auto found = values.find(keyword);
  if (found == values.end()) return result;
  for (const std::string& value : found->second) {
    if (lower_case(value) != "none") result.push_back(expanded_text(with_home(value, home)));
  }
  return result;
}

SshConfig ssh_config_of(const SshConfigQuery& query) {
  SshConfig config;
  config.home = query.home;
  config.environment = query.environment;
  if (!query.jump.empty()) config.values["proxyjump"] = {query.jump};
  Reader reader(query, config);
  reader.read_all(query.host, false);
  std::string host = reader.target();
  const auto address = usual_address(host);
  const std::string wish = lower_case(config.value("canonicalizehostname"));
  const bool is_canonical = config.is_yes("canonicalizehostname", false);
  host = address ? *address : lower_case(host);
  if (is_canonical && !address && (goes_directly(config) || wish == "always"))
    host = canonical_name(query, config, host).value_or(host);
  if (is_canonical || reader.wants_final()) reader.read_all(host, true);
  config.host = host;
  config.user = reader.user();
  config.port = reader.port();
  reader.host_ = host;
  reader.is_final_ = true;
  config.tokens = reader.tokens();
  for (const std::string& name : {config.host, config.user}) {
    if (is_harmless_name(name)) continue;
    throw Error(ErrorCode::usage,
                format("ssh_config gives {} the name {}, which is not allowed",
                       in_quotes(query.host), in_quotes(name)),
                "correct HostName or User in ssh_config");
  }
  return config;
}

}  // namespace topsctl

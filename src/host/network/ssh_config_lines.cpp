// Cuts lines as OpenSSH's readconf.c does, and knows its keywords.
#include "host/network/ssh_config_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view blanks = " \t\r\n";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
}

// A word and the blanks behind it, with one '=' among them; it may have quotes.
std::string next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(" \t\r\n\"="), rest.size());
  std::string word(rest.substr(0, end));
  rest.remove_prefix(end);
  if (rest.starts_with('"')) {
    rest.remove_prefix(1);
    const std::size_t quote = std::min(rest.find('"'), rest.size());
    word.append(rest.substr(0, quote));
    rest.remove_prefix(std::min(quote + 1, rest.size()));
    skip_blanks(rest);
    return word;
  }
  skip_blanks(rest);
  if (rest.starts_with('=')) {
    rest.remove_prefix(1);
    skip_blanks(rest);
  }
  return word;
}

// Words with both kinds of quotes and a few escapes; nothing if a quote is missing.
std::optional<std::vector<std::string>> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t') {
      ++at;
      continue;
    }
    if (text[at] == '#') break;
    std::string word;
    char quote = 0;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      const char next = at + 1 < text.size() ? text[at + 1] : '\0';
      const bool is_escape =
          next == '\'' || next == '"' || next == '\\' || (quote == 0 && next == ' ');
      if (c == '\\' && is_escape) {
        word.push_back(text[++at]);
      } else if (quote == 0 && (c == ' ' || c == '\t')) {
        break;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (quote != 0 && c == quote) {
        quote = 0;
      } else {
        word.push_back(c);
      }
    }
    if (quote != 0) return std::nullopt;
    words.push_back(std::move(word));
  }
  return words;
}

// Names between commas.
constexpr std::string_view used_keywords =
    ",addressfamily,batchmode,bindaddress,canonicaldomains,canonicalizefallbacklocal,"
    "canonicalizehostname,canonicalizemaxdots,canonicalizepermittedcnames,ciphers,"
    "connectionattempts,connecttimeout,globalknownhostsfile,hostkeyalgorithms,hostkeyalias,"
    "hostname,identitiesonly,identityagent,kbdinteractiveauthentication,kexalgorithms,macs,"
    "numberofpasswordprompts,passwordauthentication,port,preferredauthentications,"
    "proxycommand,proxyjump,pubkeyacceptedalgorithms,pubkeyauthentication,"
    "stricthostkeychecking,user,userknownhostsfile,";

// Keywords about terminals, forwarded ports and the like, and features that topsctl implements in
// its own way: compression, keep-alives, its own channel instead of a command.
constexpr std::string_view harmless_keywords =
    ",addkeystoagent,casignaturealgorithms,channeltimeout,checkhostip,cipher,"
    "clearallforwardings,compression,compressionlevel,controlmaster,controlpath,"
    "controlpersist,dynamicforward,enableescapecommandline,enablesshkeysign,escapechar,"
    "exitonforwardfailure,fallbacktorsh,fingerprinthash,forkafterauthentication,forwardagent,"
    "forwardx11,forwardx11timeout,forwardx11trusted,gatewayports,globalknownhostsfile2,"
    "gssapidelegatecredentials,hashknownhosts,hostbasedacceptedalgorithms,ignoreunknown,"
    "ipqos,kbdinteractivedevices,localcommand,localforward,loglevel,logverbose,"
    "obscurekeystroketiming,permitremoteopen,protocol,refuseconnection,rekeylimit,"
    "remotecommand,remoteforward,requesttty,requiredrsasize,rsaauthentication,"
    "rhostsrsaauthentication,sendenv,serveralivecountmax,serveraliveinterval,sessiontype,"
    "setenv,smartcarddevice,stdinnull,streamlocalbindmask,streamlocalbindunlink,"
    "syslogfacility,tag,tcpkeepalive,tunnel,tunneldevice,updatehostkeys,useprivilegedport,"
    "userknownhostsfile2,useroaming,versionaddendum,visualhostkey,warnweakcrypto,"
    "xauthlocation,";

constexpr std::string_view ignored_keywords =
    ",bindinterface,gssapiauthentication,gssapikeyexchange,hostbasedauthentication,"
    "knownhostscommand,nohostauthenticationforlocalhost,permitlocalcommand,pkcs11provider,"
    "proxyusefdpass,revokedhostkeys,securitykeyprovider,verifyhostkeydns,";

bool has(std::string_view names, std::string_view name) {
  return names.find(concat(",", name, ",")) != std::string_view::npos;
}

std::string todays_name(const std::string& keyword) {
  constexpr std::array<std::array<std::string_view, 2>, 9> older = {
      {{"pubkeyacceptedkeytypes", "pubkeyacceptedalgorithms"},
       {"hostbasedkeytypes", "hostbasedacceptedalgorithms"},
       {"challengeresponseauthentication", "kbdinteractiveauthentication"},
       {"skeyauthentication", "kbdinteractiveauthentication"},
       {"tisauthentication", "kbdinteractiveauthentication"},
       {"dsaauthentication", "pubkeyauthentication"},
       {"identityfile2", "identityfile"},
       {"smartcarddevice", "pkcs11provider"},
       {"keepalive", "tcpkeepalive"}}};
  for (const auto& [old_name, name] : older) {
    if (keyword == old_name) return std::string(name);
  }
  return keyword;
}

}  // namespace

std::optional<SshConfigLine> ssh_config_line(std::string_view line) {
  line.remove_suffix(line.size() - std::min(line.find_last_not_of(" \t\r\n\f") + 1, line.size()));
  skip_blanks(line);
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  SshConfigLine result;
  result.written = next_word(line);
  result.keyword = todays_name(lower_case(result.written));
  result.rest = line;
  const auto words = words_of(line);
  result.is_sound = words && !words->empty();
  if (words) result.words = *words;
  return result;
}

std::string next_match_word(std::string_view& rest) {
  skip_blanks(rest);
  return next_word(rest);
}

bool is_like(std::string_view name, std::string_view pattern) {
  // Backtracking: the last `*` consumes one more character if the rest does not match.
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken_by_star = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      taken_by_star = at;
    } else if (in_pattern < pattern.size() &&
               (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++taken_by_star;
    } else {
      return false;
    }
  }
  return pattern.substr(std::min(in_pattern, pattern.size())).find_first_not_of('*') ==
         std::string_view::npos;
}

bool fits_patterns(const std::string& name, const std::vector<std::string>& patterns) {
  bool is_named = false;
  for (const std::string& pattern : patterns) {
    const bool is_against = pattern.starts_with('!');
    if (!is_like(name, is_against ? pattern.substr(1) : pattern)) continue;
    if (is_against) return false;
    is_named = true;
  }
  return is_named;
}

SshKeyword kind_of_keyword(const std::string& keyword) {
  if (keyword == "identityfile" || keyword == "certificatefile") return SshKeyword::adds_up;
  if (has(used_keywords, keyword)) return SshKeyword::used;
  if (has(harmless_keywords, keyword)) return SshKeyword::harmless;
  if (has(ignored_keywords, keyword)) return SshKeyword::ignored;
  return SshKeyword::unknown;
}

std::optional<std::string> with_tokens(std::string_view text,
                                       const std::map<char, std::string>& tokens) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result.push_back(text[i]);
      continue;
    }
    const char token = i + 1 < text.size() ? text[++i] : '\0';
    if (token == '%') {
      result.push_back('%');
      continue;
    }
    const auto found = tokens.find(token);
    if (found == tokens.end()) return std::nullopt;
    result += found->second;
  }
  return result;
}

std::optional<int> ssh_seconds(std::string_view text) {
  if (lower_case(text) == "none") return 0;
  constexpr long most = 1'000'000'000;
  long sum = 0;
  while (!text.empty()) {
    long number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || number < 0 || number > most) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    long unit = 1;
    if (!text.empty()) {
      constexpr std::string_view units = "smhdw";
      constexpr std::array<long, 5> seconds = {1, 60, 3600, 86400, 604800};
      const std::size_t at = units.find(lower_case(text.substr(0, 1)));
      if (at == std::string_view::npos) return std::nullopt;
      unit = seconds.at(at);
      text.remove_prefix(1);
    }
    sum += number * unit;
    if (sum > most) return std::nullopt;
  }
  return static_cast<int>(sum);
}

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

std::optional<unsigned> ssh_port(const std::string& text) {
  constexpr unsigned highest = 65535;
  unsigned port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool is_port =
      problem == std::errc() && end == text.data() + text.size() && port > 0 && port <= highest;
  return is_port ? std::optional(port) : std::nullopt;
}

bool is_harmless_name(std::string_view name) {
  return !name.empty() && !name.starts_with('-') &&
         name.find_first_of("'`\"$\\;&<>|(){}*? \t\n") == std::string_view::npos &&
         !has_harmful_character(name);
}

}  // namespace topsctl

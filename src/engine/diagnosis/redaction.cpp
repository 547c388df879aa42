// Blanks secrets by the words before them and by their own forms.
#include "topsctl/engine/diagnosis/redaction.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/pattern.hpp"
#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

namespace {

constexpr std::string_view blank = "[blanked]";
constexpr std::size_t longest_redacted = std::size_t{64} << 10U;  // bytes of a line that is kept

struct SecretForm {
  Pattern pattern;
  const char* with;
};

const std::vector<SecretForm>& secret_forms() {
  // A value is quoted, or goes to the next blank or separator.
  static const std::vector<SecretForm> forms = [] {
    const std::string word =
        "(?i)([A-Za-z0-9_.-]*(?:passw(?:or)?d|passphrase|passwd|secret|token|api[_-]?key|access[_-]"
        "?key|"
        "private[_-]?key|credential|authorization|cookie)[A-Za-z0-9_-]*";
    const std::string value = R"((?:"[^"]*"|'[^']*'|[^\s"',;&}]+))";
    std::vector<SecretForm> list;
    list.push_back({Pattern(R"((://)[^/\s@:]*:[^/\s@]+@)"), R"(\1[blanked]@)"});
    list.push_back(
        {Pattern(concat(word, R"(["']?\s*[:=]\s*)(?:(?:bearer|basic|token)\s+)?)", value)),
         R"(\1[blanked])"});
    list.push_back(
        {Pattern(concat(R"((?i)(--?[a-z0-9_-]*(?:password|passwd|secret|token|key)\s+))", value)),
         R"(\1[blanked])"});
    list.push_back({Pattern(R"((?i)\b(bearer|basic)\s+[A-Za-z0-9+/=._-]{8,})"), R"(\1 [blanked])"});
    list.push_back(
        {Pattern(R"(\b(?:gh[pousr]_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|)"
                 R"(sk-[A-Za-z0-9_-]{16,}|AKIA[0-9A-Z]{16}|xox[abprs]-[A-Za-z0-9-]{10,}|)"
                 R"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*))"),
         "[blanked]"});
    return list;
  }();
  return forms;
}

const Pattern& any_address() {
  // An address of version 6 has eight groups, or a double colon: 12:30:01 is none.
  static const Pattern pattern(
      R"(\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b|)"
      R"(\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}\b|)"
      R"(\b[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4})*\b)?)");
  return pattern;
}

bool is_harmless_address(std::string_view text) {
  return text == "127.0.0.1" || text == "0.0.0.0" || text == "::1";
}

}  // namespace

std::string Redaction::without_addresses(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (const auto found = any_address().find(text, at)) {
    out.append(text, at, found->begin - at);
    const std::string address = text.substr(found->begin, found->end - found->begin);
    at = found->end;
    if (is_harmless_address(address)) {
      out.append(address);
      continue;
    }
    const auto known = names_.try_emplace(address, concat("address-", names_.size() + 1)).first;
    out.append(known->second);
  }
  return out.append(text, at, std::string::npos);
}

std::string Redaction::line(std::string_view text) {
  const bool begins = text.find("-----BEGIN ") != std::string_view::npos &&
                      text.find("PRIVATE KEY") != std::string_view::npos;
  is_within_key_ = is_within_key_ || begins;
  if (is_within_key_) {
    is_within_key_ = text.find("-----END ") == std::string_view::npos;
    return std::string(blank);
  }
  std::string out(text.substr(0, longest_redacted));
  for (const SecretForm& form : secret_forms()) out = form.pattern.replaced(out, form.with);
  return addresses_ == Addresses::hidden ? without_addresses(out) : out;
}

std::string Redaction::whole(std::string_view text) {
  begin();
  std::string out;
  for (const std::string& each : split(text, '\n')) out += concat(line(each), "\n");
  out.pop_back();
  return out;
}

std::string redacted_environment(const std::map<std::string, std::string>& environment) {
  constexpr std::array<std::string_view, 16> of_launchers = {
      "RANK",        "LOCAL_RANK",      "WORLD_SIZE", "LOCAL_WORLD_SIZE",
      "MASTER_ADDR", "MASTER_PORT",     "NODE_RANK",  "OMP_NUM_THREADS",
      "PATH",        "PYTHONPATH",      "LD_PRELOAD", "LANG",
      "VIRTUAL_ENV", "LD_LIBRARY_PATH", "SHELL",      "CONDA_PREFIX"};
  std::string out;
  for (const auto& [name, value] : environment) {
    const bool is_shown =
        variable_catalogue().concerns(name) ||
        std::find(of_launchers.begin(), of_launchers.end(), name) != of_launchers.end();
    out += concat(printable(name), "=", is_shown ? printable(value) : std::string(blank), "\n");
  }
  return out;
}

}  // namespace topsctl

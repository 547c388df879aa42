// Blanks secrets by the words before them and by their own forms.
#include "topsctl/engine/diagnosis/redaction.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/diagnosis/line_label.hpp"
#include "engine/diagnosis/secret_forms.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/pattern.hpp"
#include "topsctl/model/variable_catalogue.hpp"

namespace topsctl {

namespace {

constexpr std::string_view blank = "[blanked]";
constexpr std::size_t longest_redacted = std::size_t{64} << 10U;  // maximum bytes of a line in the
                                                                  // output
// A secret that begins within these is whole.
constexpr std::size_t longest_secret = std::size_t{16} << 10U;
constexpr std::size_t longest_waiting = 4096;  // bytes of a line whose secret is in the next
constexpr std::size_t most_listed = 10'000;

const Pattern& any_address() {
  // An IPv6 address has eight groups, or a double colon: 12:30:01 is not one.
  static const Pattern pattern(
      R"((?:\d{1,3}\.){3}\d{1,3}|\bip(?:-\d{1,3}){4}\b|\b(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}\b|)"
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
  ++line_;
  std::string out;
  // Text that a carriage return overwrites on a terminal is still in the file.
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\r', at), text.size());
    if (at > 0) out.push_back('\r');
    out += part(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string Redaction::name(std::string_view text) {
  std::string out = without_secrets(std::string(text));
  return addresses_ == Addresses::hidden ? without_addresses(out) : out;
}

std::string Redaction::part(std::string_view text) {
  text = plain_line(text, room_);
  if (is_of_key(text)) return std::string(blank);
  if (is_awaited(text)) {
    note("next-line");
    return concat(text.substr(0, text.find_first_not_of(" \t")), blank);
  }
  // Cut last, because half a secret is not recognized.
  std::string out = without_secrets(std::string(text.substr(0, longest_redacted + longest_secret)));
  if (text.size() > longest_redacted) out.resize(std::min(out.size(), longest_redacted));
  return addresses_ == Addresses::hidden ? without_addresses(out) : out;
}

// Whether it contains a part of a private key: a key may begin on the last line of other text.
bool Redaction::is_of_key(std::string_view text) {
  static const Pattern begin("---- ?BEGIN [A-Za-z0-9 ]*PRIVATE KEY|^Private-Lines: ");
  static const Pattern end("---- ?END |^Private-MAC: ");
  bool is_of_key = is_within_key_;
  if (!is_of_key && text.find("PRIVATE KEY") == std::string_view::npos &&
      !text.starts_with("Private-"))
    return false;
  std::size_t at = 0;
  while (const auto found = (is_within_key_ ? end : begin).find(text, at)) {
    at = found->end;
    is_within_key_ = !is_within_key_;
    if (!is_within_key_) continue;
    is_of_key = true;
    note("private-key");
  }
  return is_of_key;
}

// Whether the previous line announced that this one is a secret, or that this and following ones
// are.
bool Redaction::is_awaited(std::string_view text) {
  const std::size_t indentation = text.find_first_not_of(" \t");
  if (indentation == std::string_view::npos) return false;
  const bool is_awaited = is_waiting_ || (block_ && indentation > *block_);
  is_waiting_ = false;
  if (is_awaited) return true;
  block_.reset();
  if (text.size() <= longest_waiting && waiting_for_secret().matches(text)) {
    is_waiting_ = true;
    const std::size_t last = text.find_last_not_of(" \t");
    if (text.find_first_of("|>", last > 2 ? last - 2 : 0) != std::string_view::npos)
      block_ = indentation;
  }
  return false;
}

std::string Redaction::without_secrets(std::string text) {
  const std::string lower = lower_case(text);
  for (const SecretForm& form : secret_forms()) {
    if (!form.may_be_in(lower)) continue;
    std::string out;
    std::size_t at = 0;
    for (auto found = form.find(text, 0); found; found = form.find(text, found->end)) {
      // A match that another form has already blanked is not a secret any more.
      if (std::string_view(text).substr(found->begin, blank.size()) == blank) continue;
      out.append(text, at, found->begin - at).append(blank);
      at = found->end;
      note(form.kind);
    }
    if (at > 0) text = out.append(text, at, std::string::npos);
  }
  return text;
}

void Redaction::note(std::string_view kind) {
  if (blanked_.size() < most_listed) blanked_.push_back({std::string(kind), name_, line_});
}

std::string Redaction::whole(std::string_view text, const std::string& name) {
  begin(name);
  std::string out;
  for (const std::string& each : split(text, '\n')) out += concat(line(each), "\n");
  out.pop_back();
  return out;
}

void Redaction::begin(const std::string& name) {
  name_ = name;
  line_ = 0;
  is_within_key_ = false;
  is_waiting_ = false;
  block_.reset();
}

bool is_secret_name(std::string_view name) {
  return secret_names().matches(name);
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

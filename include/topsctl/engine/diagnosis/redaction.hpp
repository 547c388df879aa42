// Removes secrets from texts: keys, tokens, passwords, and on request addresses.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

enum class Addresses { shown, hidden };

struct Blanked {
  std::string kind;  // "github-token"
  std::string name;  // name of the text
  std::size_t line = 0;
};

// Processes texts line by line. The replacement of an address is the same in all texts of one
// Redaction, so that lines can still be compared.
class Redaction {
 public:
  explicit Redaction(Addresses addresses) : addresses_(addresses) {}
  // A line without its end; removes terminal control sequences. Blanks the lines of a private key
  // until its end, and the line after one such as "password:".
  std::string line(std::string_view text);
  std::string whole(std::string_view text, const std::string& name = "");
  // Redacts the name of a text.
  std::string name(std::string_view text);
  // Begins a new text of that name.
  void begin(const std::string& name = "");
  // The blanked places in order; at most 10,000.
  const std::vector<Blanked>& blanked() const { return blanked_; }

 private:
  std::string part(std::string_view text);
  bool is_of_key(std::string_view text);
  bool is_awaited(std::string_view text);
  std::string without_secrets(std::string text);
  std::string without_addresses(const std::string& text);
  void note(std::string_view kind);

  Addresses addresses_;
  std::string name_;
  std::size_t line_ = 0;
  bool is_within_key_ = false;
  bool is_waiting_ = false;           // the next line is a secret
  std::optional<std::size_t> block_;  // the indentation of a key whose value is a YAML block
  std::string room_;
  std::vector<Blanked> blanked_;
  std::map<std::string, std::string, std::less<>> names_;  // replacement by address
};

// Whether variables and options of that name hold secrets: "HF_TOKEN", "api-key".
bool is_secret_name(std::string_view name);

// "NAME=value" for variables of stacks and launchers, "NAME=[blanked]" for all others.
std::string redacted_environment(const std::map<std::string, std::string>& environment);

}  // namespace topsctl

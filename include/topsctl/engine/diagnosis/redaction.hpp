// Texts without what nobody else may see: keys, tokens, passwords, and on request addresses.
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
  std::string name;  // of the text
  std::size_t line = 0;
};

// The lines of one text after the other. What stands in the place of an address is the same in all
// texts of one Redaction, so that lines can still be compared.
class Redaction {
 public:
  explicit Redaction(Addresses addresses) : addresses_(addresses) {}
  // A line without its end; what is for terminals is taken out. Lines within a private key are
  // blanked until it ends, and so is what follows a line such as "password:".
  std::string line(std::string_view text);
  std::string whole(std::string_view text, const std::string& name = "");
  // The name of a text.
  std::string name(std::string_view text);
  // A new text of that name begins.
  void begin(const std::string& name = "");
  // Where something was blanked, in its order; at most 10,000 places.
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
  std::optional<std::size_t> block_;  // the indentation of a name whose value is a block of YAML
  std::string room_;
  std::vector<Blanked> blanked_;
  std::map<std::string, std::string, std::less<>> names_;  // by address
};

// Whether values of variables and options of that name are secrets: "HF_TOKEN", "api-key".
bool is_secret_name(std::string_view name);

// "NAME=value" for variables that concern stacks and launchers, "NAME=[blanked]" for all others.
std::string redacted_environment(const std::map<std::string, std::string>& environment);

}  // namespace topsctl

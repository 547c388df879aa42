// Texts without what nobody else may see: keys, tokens, passwords, and on request addresses.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace topsctl {

enum class Addresses { shown, hidden };

// The lines of one text after the other. What stands in the place of an address is the same in all
// texts of one Redaction, so that lines can still be compared.
class Redaction {
 public:
  explicit Redaction(Addresses addresses) : addresses_(addresses) {}
  // A line without its end. Lines within a private key are blanked until it ends.
  std::string line(std::string_view text);
  std::string whole(std::string_view text);
  // A new text begins.
  void begin() { is_within_key_ = false; }

 private:
  std::string without_addresses(const std::string& text);

  Addresses addresses_;
  bool is_within_key_ = false;
  std::map<std::string, std::string, std::less<>> names_;  // by address
};

// "NAME=value" for variables that concern stacks and launchers, "NAME=[blanked]" for all others.
std::string redacted_environment(const std::map<std::string, std::string>& environment);

}  // namespace topsctl

// The table of a command's options, arguments and parts, with the given values.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace topsctl {

// Returns an empty string for a valid value, else the error.
using ValueCheck = std::function<std::string(const std::string& value)>;

// For the option that shows the short help.
struct ShowsHelp {};

// The parser's action for a given option: runs the function at once, sets the flag, or converts the
// value. The pointers must be valid until the command line has been parsed.
using OptionTarget =
    std::variant<ShowsHelp, std::function<void()>, bool*, int*, unsigned*, std::int64_t*,
                 std::size_t*, std::optional<std::size_t>*, std::string*,
                 std::optional<std::string>*, std::vector<std::string>*>;

struct Option {
  std::vector<std::string> names;  // with dashes, long ones first; an argument has one, without
  std::string description;
  OptionTarget target;
  std::string type_name;  // of the value, in the help
  std::string group;      // heading in the help; empty: not in the help
  bool is_required = false;
  std::vector<ValueCheck> checks;
  std::vector<std::string> values;  // all that it can have, for completion; empty: any
  std::string listed;  // the kind of values that `topsctl completion --values` lists; empty: none
  std::vector<std::string> excluded;  // names of options that do not go with this one
  std::vector<std::string> given;     // the values as typed; "true" for a flag

  Option& required();
  Option& check(ValueCheck is_good);
  // Accepts only these values.
  Option& choices(std::vector<std::string> all);
  // The shell asks topsctl for values of this kind; other values are accepted too.
  Option& lists(std::string kind);
  // The other option may be added later; it excludes this one too.
  Option& excludes(std::string other);
  Option& hidden();

  bool is_argument() const;  // has no option name
  bool is_flag() const;      // has no value
};

struct OptionTable {
  // Descriptions are translated into the current language.
  OptionTable(std::string its_name, const std::string& its_description);

  std::string name;
  std::string description;
  std::string extra_word_hint;                      // hint for an unknown word
  bool is_hidden = false;                           // not shown in the help of its parent
  std::deque<Option> options;                       // in the order of the help; addresses stay
  std::vector<std::unique_ptr<OptionTable>> parts;  // commands of a program, or of a command
  std::string group = "Options";                    // of options that are added from now on
  bool is_given = false;                            // the name was on the command line

  // `names` in the form "-n,--dry-run".
  Option& flag(const std::string& names, bool& target, const std::string& description);
  // An option with one value; may be repeated if the target is a list.
  template <class Target>
  Option& value(const std::string& names, Target& target, const std::string& description,
                std::string type_name) {
    return add(names, &target, description, std::move(type_name));
  }
  // An argument: one word, or all remaining words if the target is a list.
  template <class Target>
  Option& argument(const std::string& name, Target& target, const std::string& description,
                   std::string type_name) {
    return add(name, &target, description, std::move(type_name));
  }
  // A flag that runs `act`, which may throw, before the following words are parsed.
  Option& immediate(const std::string& names, std::function<void()> act,
                    const std::string& description);
  OptionTable& part(std::string its_name, const std::string& its_description);

  // By one of its names. Throws Error{internal} if it is unknown.
  Option& option(const std::string& its_name);
  const Option& option(const std::string& its_name) const;
  bool has(const std::string& its_name) const;  // was this option given?
  // The option with this name, owned by the table; null if the table has no such option.
  const Option* find(std::string_view its_name) const;
  // The last value given for this option; empty if it was not given or is not in the table.
  std::string given(std::string_view its_name) const;

 private:
  Option& add(const std::string& names, OptionTarget target, const std::string& description,
              std::string type_name);
};

// Makes each given file that is a pipe of the shell, as of `--hosts <(...)`, one that can be read
// more than once.
void save_given_pipes(const OptionTable& command);

// The command with its given options, as words of a command line; without the options of one group.
std::vector<std::string> given_words(const OptionTable& command, const std::string& left_out_group);

}  // namespace topsctl

// Fills tables of options, and searches them.
#include "cli/option_table.hpp"

#include <algorithm>

#include "cli/validators.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/given_files.hpp"

namespace topsctl {

namespace {

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names = split(list, ',');
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name.starts_with("--"); });
  return names;
}

// In a list of options that may be const.
auto& found(auto& options, const std::string& name) {
  const auto option = std::find_if(options.begin(), options.end(), [&](const Option& each) {
    return std::find(each.names.begin(), each.names.end(), name) != each.names.end();
  });
  if (option != options.end()) return *option;
  throw Error(ErrorCode::internal, format("no option is named {}", in_quotes(name)),
              "this is a bug in topsctl: please report it");
}

void append_given(const OptionTable& table, const std::string& left_out_group,
                  std::vector<std::string>& words) {
  std::vector<std::string> arguments;
  for (const Option& option : table.options) {
    if (option.group == left_out_group) continue;
    const std::string& name = option.names.front();
    for (const std::string& value : option.given) {
      if (option.is_argument()) {
        arguments.push_back(value);
      } else {
        words.push_back(option.is_flag() ? name : concat(name, "=", value));
      }
    }
  }
  for (const auto& part : table.parts) {
    if (!part->is_given) continue;
    words.push_back(part->name);
    append_given(*part, left_out_group, words);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
}

}  // namespace

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::check(ValueCheck is_good) {
  checks.push_back(std::move(is_good));
  return *this;
}

Option& Option::choices(std::vector<std::string> all) {
  values = std::move(all);
  return check(one_of(values));
}

Option& Option::lists(std::string kind) {
  listed = std::move(kind);
  return *this;
}

Option& Option::excludes(std::string other) {
  excluded.push_back(std::move(other));
  return *this;
}

Option& Option::hidden() {
  group.clear();
  return *this;
}

bool Option::is_argument() const {
  return !names.front().starts_with('-');
}

bool Option::is_flag() const {
  return std::holds_alternative<bool*>(target) || std::holds_alternative<ShowsHelp>(target) ||
         std::holds_alternative<std::function<void()>>(target);
}

OptionTable::OptionTable(std::string its_name, const std::string& its_description)
    : name(std::move(its_name)), description(translated(its_description)) {
  add("-h", ShowsHelp{}, "Print short help and exit", "");
}

Option& OptionTable::flag(const std::string& names, bool& target, const std::string& description) {
  return add(names, &target, description, "");
}

Option& OptionTable::immediate(const std::string& names, std::function<void()> act,
                               const std::string& description) {
  return add(names, std::move(act), description, "");
}

OptionTable& OptionTable::part(std::string its_name, const std::string& its_description) {
  return *parts.emplace_back(std::make_unique<OptionTable>(std::move(its_name), its_description));
}

Option& OptionTable::option(const std::string& its_name) {
  return found(options, its_name);
}

const Option& OptionTable::option(const std::string& its_name) const {
  return found(options, its_name);
}

bool OptionTable::has(const std::string& its_name) const {
  return !option(its_name).given.empty();
}

const Option* OptionTable::find(std::string_view its_name) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& option) {
    return std::find(option.names.begin(), option.names.end(), its_name) != option.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

std::string OptionTable::given(std::string_view its_name) const {
  const Option* found = find(its_name);
  return found == nullptr || found->given.empty() ? "" : found->given.back();
}

Option& OptionTable::add(const std::string& names, OptionTarget target,
                         const std::string& description, std::string type_name) {
  Option& option = options.emplace_back();
  option.names = names_in(names);
  option.target = std::move(target);
  option.description = translated(description);
  option.type_name = std::move(type_name);
  option.group = group;
  return option;
}

void save_given_pipes(const OptionTable& command) {
  for (const Option& option : command.options) {
    if (option.is_flag()) continue;
    for (const std::string& value : option.given) save_shell_pipe(value);
  }
  for (const auto& part : command.parts) save_given_pipes(*part);
}

std::vector<std::string> given_words(const OptionTable& command,
                                     const std::string& left_out_group) {
  std::vector<std::string> words = {command.name};
  append_given(command, left_out_group, words);
  return words;
}

}  // namespace topsctl

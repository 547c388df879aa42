// entry_points.txt by the rules of pkg_resources, importlib.metadata and distlib together.
#include "topsctl/host/python/entry_points.hpp"

#include <algorithm>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/tar.hpp"
#include "topsctl/host/python/wheel_layout.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_told_faults = 20;

// "\w" of Python's regular expressions; assumes that all non-ASCII characters are letters.
bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_word_character);
}

bool are_words(std::string_view text, char separator) {
  const std::vector<std::string> parts = split(text, separator);
  return std::all_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return is_word(part); });
}

// It becomes Python code: nothing but names and dots may get there.
bool is_dotted_name(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return is_word(part) && !is_digits(part.substr(0, 1));
  });
}

// Removes "[x, y]", which pip ignores.
bool take_extras(std::string_view& value) {
  const auto open = value.find('[');
  if (open == std::string_view::npos) return true;
  std::string_view extras = value.substr(open + 1);
  value = trimmed(value.substr(0, open));
  if (!extras.ends_with(']')) return false;
  extras.remove_suffix(1);
  const std::vector<std::string> names = split(extras, ',');
  return std::all_of(names.begin(), names.end(), [](const std::string& raw) {
    std::string name(trimmed(raw));
    std::replace(name.begin(), name.end(), '-', '_');
    return is_word(name);
  });
}

// For a group without commands: "module", "module:attribute".
bool is_object(std::string_view value) {
  if (!take_extras(value)) return false;
  const std::vector<std::string> parts = split(value, ':');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
           std::string name(trimmed(part));
           name.erase(std::remove(name.begin(), name.end(), '.'), name.end());
           return is_word(name);
         });
}

class EntryPointReading {
 public:
  EntryPoints read(std::string_view text) {
    if (!is_utf8(text)) add_fault("", "not UTF-8");
    std::string lines(text);
    std::replace(lines.begin(), lines.end(), '\r', '\n');
    for (const std::string& raw : split(lines, '\n')) {
      const std::string_view line = trimmed(raw);
      if (!line.empty() && !line.starts_with('#')) take_line(line);
    }
    return std::move(found_);
  }

 private:
  void take_line(std::string_view line) {
    if (line.starts_with('[')) return begin_group(line);
    const auto equals = line.find('=');
    if (group_.empty()) return add_fault(line, "it belongs to no group");
    if (equals == std::string_view::npos) return add_fault(line, "it has no '='");
    const std::string_view name = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (!names_.insert(std::string(name)).second) {
      return add_fault(line, format("the name is duplicated in {}", printable(group_)));
    }
    if (group_ == "console_scripts" || group_ == "gui_scripts")
      return take_script(line, name, value);
    if (name.empty() || !is_object(value))
      add_fault(line, "it is not an object reference (module:attribute)");
  }

  void begin_group(std::string_view line) {
    names_.clear();
    group_ = line.substr(1, line.size() - 1);
    if (group_.ends_with(']')) group_.pop_back();
    if (!line.ends_with(']') || !are_words(group_, '.'))
      return add_fault(line, "it is not a group header");
    if (!groups_.insert(group_).second) add_fault(line, "the group is duplicated");
  }

  void take_script(std::string_view line, std::string_view name, std::string_view value) {
    const bool has_extras = take_extras(value);
    const auto colon = std::min(value.find(':'), value.size());
    EntryPoint entry{std::string(name), std::string(value.substr(0, colon)),
                     std::string(value.substr(std::min(colon + 1, value.size())))};
    if (!has_extras || !is_dotted_name(entry.module) || !is_dotted_name(entry.attribute)) {
      return add_fault(line, "it is not a callable (module:function)");
    }
    if (path_escapes(name)) {
      return add_fault(line, "the command would be written outside its directory", "entry-escapes");
    }
    if (name.empty() || name == "." || name.find_first_of("/ \t") != std::string_view::npos ||
        printable(name) != name || is_name_too_long(name)) {
      return add_fault(line, "it is not a valid command name");
    }
    std::erase_if(found_.scripts, [&](const EntryPoint& other) { return other.name == name; });
    found_.scripts.push_back(std::move(entry));
  }

  void add_fault(std::string_view line, std::string why, const char* finding = "wheel-malformed") {
    if (found_.faults.size() == most_told_faults) return;
    found_.faults.push_back(
        {finding, "entry_points.txt",
         line.empty() ? std::move(why) : concat(in_quotes(shortened(line, 80)), ": ", why)});
  }

  EntryPoints found_;
  std::string group_;
  std::set<std::string> groups_;
  std::set<std::string> names_;  // of the group
};

}  // namespace

EntryPoints read_entry_points(std::string_view text) {
  return EntryPointReading().read(text);
}

}  // namespace topsctl

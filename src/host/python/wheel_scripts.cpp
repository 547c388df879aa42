// Launchers as pip has them (distlib's), and the binary distribution format's rules for scripts.
#include "topsctl/host/python/wheel_scripts.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

[[noreturn]] void refuse_script(const std::string& subject, std::string_view line,
                                const std::string& why) {
  throw Error(ErrorCode::bad_package,
              format("cannot read {}: the entry point {} {}", in_quotes(subject),
                     in_quotes(shortened(line, 80)), why),
              "get a sound wheel from its vendor");
}

// It becomes Python code: nothing but names and dots may get there.
bool is_dotted_name(std::string_view text) {
  const auto is_of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  const std::vector<std::string> parts = split(text, '.');
  return std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return !part.empty() && !is_digits(part.substr(0, 1)) &&
           std::all_of(part.begin(), part.end(), is_of_name);
  });
}

EntryPoint entry_of(std::string_view line, const std::string& subject) {
  const auto equals = line.find('=');
  EntryPoint entry;
  entry.name = trimmed(line.substr(0, equals));
  std::string_view value = line.substr(equals + 1);
  value = trimmed(value.substr(0, value.find('[')));  // extras
  const auto colon = value.find(':');
  entry.module = trimmed(value.substr(0, colon));
  if (colon != std::string_view::npos) entry.attribute = trimmed(value.substr(colon + 1));
  if (!is_dotted_name(entry.module) || !is_dotted_name(entry.attribute)) {
    refuse_script(subject, line, "names no callable (module:function)");
  }
  if (entry.name.empty() || entry.name.find('/') != std::string::npos || entry.name == "." ||
      entry.name == ".." || printable(entry.name) != entry.name) {
    refuse_script(subject, line, "is no name for a command");
  }
  return entry;
}

}  // namespace

std::vector<EntryPoint> script_entry_points(std::string_view text, const std::string& subject) {
  std::vector<EntryPoint> entries;
  bool wanted = false;
  for (const std::string& raw : split(text, '\n')) {
    const std::string_view line = trimmed(raw);
    if (line.starts_with('[')) wanted = line == "[console_scripts]" || line == "[gui_scripts]";
    const bool is_comment = line.starts_with('#') || line.starts_with(';');
    if (!wanted || is_comment || line.find('=') == std::string_view::npos) continue;
    EntryPoint entry = entry_of(line, subject);
    std::erase_if(entries, [&](const EntryPoint& other) { return other.name == entry.name; });
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string shebang(const std::string& interpreter) {
  constexpr std::size_t longest = 127;
  const bool has_space = interpreter.find(' ') != std::string::npos;
  if (!has_space && interpreter.size() + 3 <= longest) return concat("#!", interpreter, "\n");
  const std::string quoted = has_space ? concat("\"", interpreter, "\"") : interpreter;
  return concat("#!/bin/sh\n'''exec' ", quoted, " \"$0\" \"$@\"\n' '''\n");
}

std::string launcher_text(const EntryPoint& entry, const std::string& interpreter) {
  const std::string import = entry.attribute.substr(0, entry.attribute.find('.'));
  return concat(shebang(interpreter), "# -*- coding: utf-8 -*-\nimport re\nimport sys\nfrom ",
                entry.module, " import ", import,
                "\nif __name__ == '__main__':\n"
                "    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n"
                "    sys.exit(",
                entry.attribute, "())\n");
}

std::optional<std::string> with_interpreter(std::string_view script,
                                            const std::string& interpreter) {
  if (!script.starts_with("#!python")) return std::nullopt;
  const auto end = script.find('\n');
  const std::string_view rest =
      end == std::string_view::npos ? std::string_view() : script.substr(end + 1);
  return concat(shebang(interpreter), rest);
}

bool had_digest_before_rewriting(std::string_view script, std::string_view sha256) {
  const auto end = script.find('\n');
  if (!script.starts_with("#!") || end == std::string_view::npos) return false;
  for (const std::string_view line : {"#!python", "#!pythonw"}) {
    Sha256 digest;
    digest.update(line);
    digest.update(script.substr(end));
    if (digest.base64url() == sha256) return true;
  }
  return false;
}

bool is_launcher_of(std::string_view script_name, const std::vector<EntryPoint>& entries) {
  for (const std::string_view ending : {".exe", "-script.py", ".pya"}) {
    if (lower_case(script_name).ends_with(ending)) {
      script_name.remove_suffix(ending.size());
      break;
    }
  }
  return std::any_of(entries.begin(), entries.end(),
                     [&](const EntryPoint& entry) { return entry.name == script_name; });
}

}  // namespace topsctl

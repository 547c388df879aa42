// Launchers as pip has them (distlib's), and the binary distribution format's rules for scripts.
#include "topsctl/host/python/wheel_scripts.hpp"

#include <algorithm>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

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

// What a maintainer script does beyond what a write set can predict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

// A command whose writes nobody can tell from the text of the script.
struct OpaqueCommand {
  std::string script;  // "postinst of tops-sdk"
  int line = 0;        // from 1
  std::string text;    // the line
  bool operator==(const OpaqueCommand&) const = default;
};

struct ScriptEffects {
  bool services = false;                     // starts, stops or restarts some
  bool kernel_modules = false;               // loads or unloads some
  bool writes = false;                       // anything but the loader's cache
  std::optional<OpaqueCommand> opaque = {};  // the first; nothing: the script is understood

  void add(const ScriptEffects& other);
  bool operator==(const ScriptEffects&) const = default;
};

// Understood are commands that write nothing, those that write their arguments where these are
// absolute paths without any expansion, and those whose own paths a write set has
// (src/data/scripts/commands.json). Anything else is opaque: an interpreter, a program of the
// package, `eval`, a program or a target in a variable, a recursive change. `script` names it for
// people.
ScriptEffects effects_of(const std::string& script, std::string_view text);

}  // namespace topsctl

// Effects of a maintainer script that a write set cannot predict.
#pragma once

#include <string_view>

namespace topsctl {

struct ScriptEffects {
  bool services = false;        // starts, stops or restarts services
  bool kernel_modules = false;  // loads or unloads kernel modules
  bool writes = false;          // anything except the loader cache

  void add(const ScriptEffects& other);
  bool operator==(const ScriptEffects&) const = default;
};

// Judged by the commands of the script (src/data/scripts/commands.json). An unknown program, an
// interpreter or `eval` may have all effects; so may a known program after PATH and similar
// variables are set.
ScriptEffects effects_of(std::string_view script);

}  // namespace topsctl

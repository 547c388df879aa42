// What a maintainer script does beyond what a write set can predict.
#pragma once

#include <string_view>

namespace topsctl {

struct ScriptEffects {
  bool services = false;        // starts, stops or restarts some
  bool kernel_modules = false;  // loads or unloads some
  bool writes = false;          // anything but the loader's cache

  void add(const ScriptEffects& other);
  bool operator==(const ScriptEffects&) const = default;
};

// By the commands of the script (src/data/scripts/commands.json). An unknown program, as an
// interpreter or `eval`, may do all of it; so may one that is known once PATH and the like are set.
ScriptEffects effects_of(std::string_view script);

}  // namespace topsctl

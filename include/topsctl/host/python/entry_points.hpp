// The entry points of a distribution, read as strictly as the strictest pip reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/package.hpp"

namespace topsctl {

// "name = module:attribute" of entry_points.txt.
struct EntryPoint {
  std::string name;
  std::string module;     // "torch_gcu.info"
  std::string attribute;  // "main", "Main.run"
  bool operator==(const EntryPoint&) const = default;
};

struct EntryPoints {
  // Those of [console_scripts] and [gui_scripts] that are sound; of two of one name the last.
  std::vector<EntryPoint> scripts;
  // What some pip crashes on, when it installs or when it uninstalls, and commands whose name is
  // not one; the first 20.
  std::vector<WheelFault> faults;
};
EntryPoints read_entry_points(std::string_view text);

}  // namespace topsctl

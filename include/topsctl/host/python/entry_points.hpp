// The entry points of a distribution, parsed as strictly as the strictest pip.
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
  // Valid ones of [console_scripts] and [gui_scripts]; of two with one name the last.
  std::vector<EntryPoint> scripts;
  // Entries that crash some pip during install or uninstall, and commands with an invalid name; the
  // first 20.
  std::vector<WheelFault> faults;
};
EntryPoints read_entry_points(std::string_view text);

}  // namespace topsctl

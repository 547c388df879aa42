// Look-ups in host facts.
#include "topsctl/model/host_facts.hpp"

#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

const InstalledWheel* PythonFacts::wheel(std::string_view name) const {
  for (const InstalledWheel& wheel : wheels) {
    if (normalized_name(wheel.name) == normalized_name(name)) return &wheel;
  }
  return nullptr;
}

}  // namespace topsctl

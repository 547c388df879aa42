// Checks conffiles and triggers as dpkg does: deb-conffiles(5), deb-triggers(5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct Conffiles {
  std::vector<std::string> kept;     // absolute paths
  std::vector<std::string> removed;  // with the flag remove-on-upgrade
};

// Throws DpkgRefusal, naming `subject`, for lines that dpkg refuses.
Conffiles read_conffiles(std::string_view text, const std::string& subject);

// Throws DpkgRefusal, naming `subject`, for a text of triggers that dpkg refuses.
void require_sound_triggers(std::string_view text, const std::string& subject);

}  // namespace topsctl

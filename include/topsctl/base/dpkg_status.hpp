// A package's state in dpkg's database (dpkg(1), "Package states"), and what follows from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

// What the administrator selected.
enum class DpkgWant { unknown, install, hold, deinstall, purge };
// Whether dpkg wants the package to be installed again before anything else is done with it.
enum class DpkgFlag { ok, reinstreq };
// In dpkg's own order: from `unpacked` on the package's files are on the disk.
enum class DpkgState {
  not_installed,
  config_files,
  half_installed,
  unpacked,
  half_configured,
  triggers_awaited,
  triggers_pending,
  installed
};

// As a stanza without the field has it: of a package that dpkg only knows the name of.
struct DpkgStatus {
  DpkgWant want = DpkgWant::unknown;
  DpkgFlag flag = DpkgFlag::ok;
  DpkgState state = DpkgState::not_installed;
  bool operator==(const DpkgStatus&) const = default;
};

// "install ok installed"; words in any case, as dpkg takes them. Nothing: dpkg refuses the text.
std::optional<DpkgStatus> parse_dpkg_status(std::string_view text);
std::string to_text(const DpkgStatus& status);

// Installed and configured, and meant to stay: "install ok installed" or "hold ok installed".
// Stricter than dpkg's dependencies (satisfies_dependencies): a package whose triggers wait has not
// done all of its work, and dpkg-query does not call it installed either; one that is selected for
// removal goes with the next `apt-get dselect-upgrade`.
bool is_installed(const DpkgStatus& status);

// Unpacked or better.
bool has_files(const DpkgStatus& status);

// Whether dpkg takes it for a dependency: installed, triggers that wait included.
bool satisfies_dependencies(const DpkgStatus& status);

// What `dpkg --audit` tells of: neither installed nor gone, triggers that wait included.
bool is_unfinished(const DpkgStatus& status);

}  // namespace topsctl

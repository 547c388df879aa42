// A package's state in dpkg's database (dpkg(1), "Package states"), and predicates on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

// What the administrator selected.
enum class DpkgWant { unknown, install, hold, deinstall, purge };
// Whether dpkg wants the package to be installed again before anything else is done with it.
enum class DpkgFlag { ok, reinstreq };
// In dpkg's order: from `unpacked` on, the package's files are on the disk.
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

// The default is the state of a stanza without a Status field: dpkg knows only the package's name.
struct DpkgStatus {
  DpkgWant want = DpkgWant::unknown;
  DpkgFlag flag = DpkgFlag::ok;
  DpkgState state = DpkgState::not_installed;
  bool operator==(const DpkgStatus&) const = default;
};

// Parses "install ok installed"; words in any case, as dpkg accepts them. Nothing if dpkg rejects
// the text.
std::optional<DpkgStatus> parse_dpkg_status(std::string_view text);
std::string to_text(const DpkgStatus& status);

// Installed and configured, and meant to stay: "install ok installed" or "hold ok installed".
// Stricter than dpkg's dependencies (satisfies_dependencies): a package whose triggers wait has not
// done all of its work, and dpkg-query does not call it installed either; one that is selected for
// removal goes with the next `apt-get dselect-upgrade`.
bool is_installed(const DpkgStatus& status);

// At least unpacked.
bool has_files(const DpkgStatus& status);

// Whether dpkg accepts it as a dependency: installed, including pending triggers.
bool satisfies_dependencies(const DpkgStatus& status);

// What `dpkg --audit` reports: neither installed nor removed, including pending triggers.
bool is_unfinished(const DpkgStatus& status);

}  // namespace topsctl

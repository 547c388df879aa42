// A complete install, from paths on the command line to a committed transaction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/engine/execution/carried_reading.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/engine/operations/repair_source.hpp"
#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

// Packages to reinstall in the same version: those that differ from the package or its records, or
// all.
enum class Again { damaged, all };
// `repair` changes no version and adds only packages that some transaction installed before.
enum class InstallPurpose { install, repair };
inline const char* name_of(InstallPurpose purpose) {
  return purpose == InstallPurpose::repair ? "repair" : "install";
}

struct InstallRequest {
  InstallPurpose purpose = InstallPurpose::install;
  Again again = Again::damaged;
  std::vector<std::filesystem::path> bundle;
  std::string stack;       // name or file; empty: the one that fits the bundle
  std::string components;  // comma-separated ids; empty: all
  std::string python;      // empty: the stack's choice
  SystemPython system_python = SystemPython::refuse;
  SettingOptions settings;                  // of the environment file
  std::optional<Lock> lock;                 // each selected package must match it
  std::optional<RecordedDigests> recorded;  // each package to install must match it
  bool allow_older_lock = false;   // accept a signed lock that is older than an installed one
  std::set<std::string> accepted;  // ids of findings that do not stop the install
  InstallMode mode = InstallMode::apply;
  WriteSetWay write_set = WriteSetWay::automatic;
  // Replaces the bundle, which is not on this host: for InstallMode::plan only.
  std::optional<CarriedReading> reading;
  Sandboxing sandboxing = Sandboxing::on;  // of the process that reads the bundle
  std::int64_t lock_timeout_ms = 120'000;
  int deadline_s = 0;  // from the locks to the commit; 0: none
  Requester requester;
  // Called with the finished plan and the locks held; false: nothing is changed. Empty: no
  // approval.
  std::function<bool(const Plan&)> approve = {};
};

// Throws Error if nothing was changed, also Error{interrupted} if the plan was not approved; later
// failures are in the result. Throws Error{bad_package} for a selected package that does not match
// the lock. Throws Error{host_unfit} if all packages are installed, but a file check fails that no
// package of the bundle can fix.
Execution install(const Host& host, const InstallRequest& request, EventFan& events);

}  // namespace topsctl

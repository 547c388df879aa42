// The whole of an install, from paths on the command line to a committed transaction.
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
#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

// Of what is there in the same version: what differs from the package or its records, or all of it.
enum class Again { damaged, all };
// `repair` changes no version and adds no package that no transaction has brought.
enum class InstallPurpose { install, repair };

struct InstallRequest {
  InstallPurpose purpose = InstallPurpose::install;
  Again again = Again::damaged;
  std::vector<std::filesystem::path> bundle;
  std::string stack;       // name or file; empty: whichever fits the bundle
  std::string components;  // comma-separated ids; empty: all
  std::string python;      // empty: the stack's choice
  SystemPython system_python = SystemPython::refuse;
  SettingOptions settings;         // of the environment
  std::optional<Lock> lock;        // what every package that is taken must be
  bool allow_older_lock = false;   // also a signed one that is older than what was installed
  std::set<std::string> accepted;  // ids of findings that are no reason to stop
  InstallMode mode = InstallMode::apply;
  WriteSetWay write_set = WriteSetWay::automatic;
  // In the place of the bundle, which is not here: for InstallMode::plan alone.
  std::optional<CarriedReading> reading;
  Sandboxing sandboxing = Sandboxing::on;  // of what reads the bundle
  std::int64_t lock_timeout_ms = 120'000;
  int deadline_s = 0;  // from the locks to the commit; 0: none
  Requester requester;
  // Asked once the plan is made, with the locks held; false: nothing is changed. Empty: nobody is.
  std::function<bool(const Plan&)> approve = {};
};

// Throws Error if nothing was changed, also Error{interrupted} if it was not approved; later
// failures are in the result. A package that would be taken and is not what the lock says is
// Error{bad_package}. Where everything is there, and a check of the files fails that no package of
// the bundle can put right, that is Error{host_unfit}.
Execution install(const Host& host, const InstallRequest& request, EventFan& events);

}  // namespace topsctl

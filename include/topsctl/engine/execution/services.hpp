// Stops services of packages before their files are removed.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Stops the services whose files `undo` removes. Runs no package script: changes of a prerm would
// not be in the backup. A running systemd stops their units; daemons whose program or script is
// removed get SIGTERM, and SIGKILL after 10 s. A service that is restored to an earlier version
// keeps running, because its prerm would keep it running too (an SSH server must not end). Returns
// sentences on effects that restoring files does not undo.
std::vector<std::string> stop_services(const Host& host, const Transaction& transaction,
                                       const Snapshot& undo, EventSink& events);

// The units that stop_services() stops.
std::vector<std::string> stopped_units(const Host& host, const Snapshot& undo);

// Makes a running systemd reload its units after the files are restored; without systemd, does
// nothing.
void reload_service_manager(const Host& host, EventSink& events);

// Whether a payload path is a service.
bool is_service(const std::string& path);

}  // namespace topsctl

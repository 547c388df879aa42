// Stopping what packages have started, before the packages' files are taken away.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Stops the services whose files `undo` takes away. No script of a package is run for it: what a
// prerm writes would be part of no backup. A running systemd stops their units; daemons whose
// program or script goes get SIGTERM, and SIGKILL after 10 s. What comes back in an earlier version
// goes on running, for its prerm would leave it so, too (an SSH server must not end). Returns
// sentences on what no restore of files undoes.
std::vector<std::string> stop_services(const Host& host, const Transaction& transaction,
                                       const Snapshot& undo, EventSink& events);

// The units that this stops.
std::vector<std::string> stopped_units(const Host& host, const Snapshot& undo);

// Makes a running systemd read its units again, once the files are back; does nothing elsewhere.
void reload_service_manager(const Host& host, EventSink& events);

// Whether a path of a package's payload is a service.
bool is_service(const std::string& path);

}  // namespace topsctl

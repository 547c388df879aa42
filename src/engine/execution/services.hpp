// Stopping what packages' scripts have started, before the packages' files are taken away.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Runs the prerm of each deb of the transaction that brings services (systemd units, init scripts),
// as dpkg does before it removes or replaces the package (Debian Policy 6.5): `prerm remove`, or
// `prerm upgrade VERSION` if an earlier version comes back. A script that fails stops nothing: it
// is told. Returns sentences on what no restore of files undoes.
std::vector<std::string> stop_services(const Host& host, const Transaction& transaction,
                                       EventSink& events);

// Makes a running systemd read its units again, once the files are back; does nothing elsewhere.
void reload_service_manager(const Host& host, EventSink& events);

// Whether a path of a package's payload is a service.
bool is_service(const std::string& path);

}  // namespace topsctl

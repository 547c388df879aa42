// Remote side of commands that run on other hosts.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

// Starts the run or attaches to it, and sends its events and its end as frames through `say`.
// Returns when the run has ended. Throws Error{interrupted} when `input` ends earlier: the run
// continues. Without a password, sudo must not ask for one.
void serve_run(const Host& host, const RemoteRunRequest& request, Secret sudo_password,
               const Descriptor& input, const std::function<void(const std::string& frame)>& say);

}  // namespace topsctl

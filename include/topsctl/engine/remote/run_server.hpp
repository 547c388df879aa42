// The far end of commands that are run on other machines.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

// Starts the run, or finds it again, and tells of its events and its end through `say`, which takes
// frames. Returns when the run has ended; throws Error{interrupted} when `input` ends before: the
// run goes on. Without a password sudo must not ask.
void serve_run(const Host& host, const RemoteRunRequest& request, Secret sudo_password,
               const Descriptor& input, const std::function<void(const std::string& frame)>& say);

}  // namespace topsctl

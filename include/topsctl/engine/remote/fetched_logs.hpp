// Fetches the logs and the record of a launch from the host that it ran on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "topsctl/engine/remote/remote_agent.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// Remote side: sends the run's record, then all its logs, as frames through `say`. `payload` is
// that of the request frame. Throws Error{usage} for an invalid payload, Error{bad_input} if no run
// has these logs.
void serve_logs(const Host& host, std::string_view payload,
                const std::function<void(const std::string& frame)>& say);

// Local side: writes the logs below `folder`, which it creates. Regardless of what the remote
// sends, it writes nothing else, and at most `most` bytes and some thousand files. `logs`: the log
// directory on the remote host. Throws Error{unreachable} for invalid data or if the limit is
// exceeded, and the errors of the connection.
void fetch_logs(Remote& remote, const Target& target, const CarriedProgram& program,
                const std::string& logs, const std::filesystem::path& folder, std::uint64_t most);

}  // namespace topsctl

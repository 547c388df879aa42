// The logs and the record of a launch, brought from the host that it ran on.
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

// The far end: tells of the run's record, then of all its logs, through `say`, which takes frames.
// `payload` is that of the frame that asks. Throws Error{usage} for what is none, Error{bad_input}
// where no run has its logs.
void serve_logs(const Host& host, std::string_view payload,
                const std::function<void(const std::string& frame)>& say);

// The near end: writes them below `folder`, which it makes. Whatever the far end says, nothing
// else is written, and no more than `most` bytes and some thousand files. `logs`: the log folder
// there. Throws Error{unreachable} when it tells nonsense
// or more than that, and what the connection throws.
void fetch_logs(Remote& remote, const Target& target, const CarriedProgram& program,
                const std::string& logs, const std::filesystem::path& folder, std::uint64_t most);

}  // namespace topsctl

// Error texts and helpers for remote ends.
#include "topsctl/host/network/remote.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

std::unique_ptr<RemoteSession> Remote::connect_in_steps(const Reached& /*on_reached*/,
                                                        Asking /*asking*/) {
  return connect();
}

std::unique_ptr<RemoteStream> RemoteSession::start_subsystem(const std::string& name) {
  throw NotStarted(format("no subsystem {} on the remote host", in_quotes(name)),
                   "use an SSH server that provides it");
}

void let_end(RemoteStream& program) {
  const WaitLimit limit(2000);
  try {
    for (;;) {
      const auto piece = program.read(limit.poll_timeout());
      if (!piece) return;
      if (piece->empty()) break;
    }
    program.finish();
  } catch (const ConnectionLost&) {
    // The next use of the connection reports the error.
  }
}

std::string last_words(std::string_view said) {
  constexpr std::size_t most_bytes = 4096;  // looked at
  constexpr std::size_t most_told = 600;
  constexpr std::size_t most_lines = 3;
  if (said.size() > most_bytes) said.remove_prefix(said.size() - most_bytes);
  return shortened(last_lines(printable(said, Lines::keep), most_lines), most_told);
}

}  // namespace topsctl

// topsctl receive: the far end of a transfer, started by `topsctl transfer`.
#include "topsctl/engine/transfer/receiver.hpp"

#include <fcntl.h>

#include "cli/command.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

namespace {

Output run_receive(Session& session) {
  hide_memory();  // passwords for sudo come here
  // Not handed on to what is started: that would keep the connection open after our end.
  const Descriptor input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  const Descriptor output(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  Output result;
  result.header.command = "receive";
  // Standard output belongs to the frames, in which failures are told.
  if (!serve_transfer(session.host, input, output)) result.header.exit = ExitCode::failed;
  return result;
}

}  // namespace

CommandAction define_receive(OptionTable& /*table*/) {
  return {[](Session& session) { return run_receive(session); }};
}

}  // namespace topsctl

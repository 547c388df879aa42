// topsctl receive: remote side of a transfer, started by `topsctl transfer`.
#include "topsctl/engine/transfer/receiver.hpp"

#include <fcntl.h>

#include "cli/command.hpp"
#include "cli/option_table.hpp"
#include "cli/targets/transfer_options.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/remote_agent.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/secret.hpp"

namespace topsctl {

namespace {

struct ReceiveOptions {
  bool transfer_only = false;
  std::string destination = usual_destination;
};

// As a forced command: the output that the shell would have printed first.
std::string greeting_for(const Session& session) {
  const auto asked = session.host.environment.find("SSH_ORIGINAL_COMMAND");
  const auto token =
      asked == session.host.environment.end() ? std::nullopt : token_of_receive(asked->second);
  if (token) return concat(*token, " run\n");
  throw Error(ErrorCode::permission, "this login accepts only transfers",
              "use `topsctl transfer` of the same version, without a container");
}

Output run_receive(const ReceiveOptions& options, Session& session) {
  hide_memory();  // because sudo passwords arrive here
  // Not inherited by child processes: they would keep the connection open after our end.
  const Descriptor input(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  const Descriptor output(::fcntl(1, F_DUPFD_CLOEXEC, 3));
  OnlyBelow only_below;
  if (options.transfer_only) {
    require_destination(options.destination);
    only_below =
        std::filesystem::path(concat(options.destination, "/.")).lexically_normal().parent_path();
    write_all(output, greeting_for(session), "standard output");
  }
  Output result;
  result.header.command = "receive";
  // Standard output is for frames, including failures.
  if (!serve_transfer(session.with_own_state(), input, output, only_below))
    result.header.exit = ExitCode::failed;
  return result;
}

}  // namespace

CommandAction define_receive(OptionTable& table) {
  auto options = std::make_shared<ReceiveOptions>();
  table.flag("--transfer-only", options->transfer_only,
             "As a forced command of sshd: receive files, run nothing");
  table.value("--dest", options->destination, "Directory that --transfer-only may write to", "DIR");
  return {[options](Session& session) { return run_receive(*options, session); }};
}

}  // namespace topsctl

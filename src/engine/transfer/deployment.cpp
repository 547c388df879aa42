// Upload, install, confirm.
#include "topsctl/engine/transfer/deployment.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

RemoteCommand install_command(const TransferSet& shipment, const DeployRequest& request) {
  RemoteCommand command;
  command.sudo_password = request.sudo_password;
  command.words = {"install"};
  for (const ShippedFile& file : shipment.files)
    command.words.push_back(concat(request.upload.destination, "/", file.name));
  command.words.insert(command.words.end(), request.install_words.begin(),
                       request.install_words.end());
  if (request.confirm_timeout_s > 0) {
    command.words.insert(command.words.end(),
                         {"--confirm-timeout", concat(request.confirm_timeout_s)});
  }
  return command;
}

}  // namespace

void require_success(const RemoteReport& report) {
  if (report.error) throw *report.error;
  if (report.status == 0) return;
  throw Error(ErrorCode::checks_failed, concat("it ended with status ", report.status),
              "its report tells more");
}

void deploy(Remote& remote, const CarriedProgram& program, const TransferSet& shipment,
            const DeployRequest& request, RateLimit& limit, const Clock& clock,
            const UploadProgress& on_progress, const RemoteLine& on_line, Deployment& result) {
  const Target& target = request.upload.target;
  result.upload = upload(remote, program, shipment, request.upload, limit, clock, on_progress);
  if (request.upload.dry_run) return;
  result.report =
      run_remote(remote, target, program, install_command(shipment, request), clock, on_line);
  require_success(*result.report);
  if (!result.report->awaits_confirmation || !result.report->transaction) return;
  const std::int64_t transaction = *result.report->transaction;
  RemoteCommand confirm;
  confirm.sudo_password = request.sudo_password;
  confirm.words = {"confirm", concat(transaction)};
  try {
    // By a connection of its own, which shows that the machine can still be reached.
    result.confirmation = run_remote(remote, target, program, confirm, clock, on_line);
    require_success(*result.confirmation);
  } catch (const Error& error) {
    throw error.within(concat("transaction ", transaction,
                              " is not confirmed, and is restored when its time is over"));
  }
}

}  // namespace topsctl

// Upload, install, confirm.
#include "topsctl/engine/transfer/deployment.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t ms_per_s = 1000;

RemoteCommand resumed_command(const DeployRequest& request) {
  RemoteCommand command;
  command.sudo_password = request.sudo_password;
  command.words = {"install"};
  command.id = request.run_id;
  command.has_begun = true;
  return command;
}

RemoteCommand install_command(const DeployRequest& request) {
  const SentBeside& beside = request.beside();
  RemoteCommand command;
  command.sudo_password = request.sudo_password;
  command.id = request.run_id;
  command.words = {"install", concat("--lock-sha256=", sha256_of(beside.lock.text))};
  command.lock = beside.lock;
  command.stack = beside.stack;
  for (const ShippedFile& file : request.upload.files.get().files)
    command.words.push_back(concat(request.upload.request.destination, "/", file.name));
  command.words.insert(command.words.end(), request.install_words.begin(),
                       request.install_words.end());
  if (!beside.stack) command.words.push_back(concat("--stack=", request.upload.files.get().stack));
  if (request.upload.request.dry_run) {
    command.words.emplace_back("--dry-run");
    command.reading = beside.reading;
  } else if (request.confirm_timeout_s > 0) {
    command.words.insert(command.words.end(),
                         {"--confirm-timeout", concat(request.confirm_timeout_s)});
  }
  return command;
}

RemoteCommand confirm_command(std::int64_t transaction, const DeployRequest& request) {
  RemoteCommand command;
  command.sudo_password = request.sudo_password;
  command.words = {"confirm", concat(transaction)};
  command.was_reached = true;
  command.timeout_ms = request.confirm_timeout_s * ms_per_s;  // later it is restored
  return command;
}

RemoteReport run_there(RemoteCommand command, const DeployRequest& request) {
  const UploadJob& upload = request.upload;
  return run_remote({.remote = upload.remote,
                     .target = upload.request.target,
                     .program = upload.program,
                     .command = std::move(command),
                     .clock = upload.clock,
                     .on_line = request.on_line,
                     .on_silence = request.on_silence});
}

// A host that reports no error, and something else than an install that is over or awaits its
// confirmation, has not done what it was asked to do.
void require_what_was_asked(const RemoteReport& report, const DeployRequest& request) {
  if (request.upload.request.dry_run) return;
  const bool is_committed = report.outcome == "committed";
  if (!is_committed && report.outcome != "no_change")
    throw Error(ErrorCode::unreachable,
                format("the remote topsctl reports neither success nor an error: {}",
                       report.outcome.empty() ? "-" : in_quotes(report.outcome)),
                "run `topsctl history` on the host");
  const bool is_awaited = report.awaits_confirmation && report.transaction;
  if (is_committed && request.confirm_timeout_s > 0 && !is_awaited)
    throw Error(ErrorCode::unreachable, "the remote topsctl does not await the confirmation",
                "run `topsctl history` on the host");
}

}  // namespace

void require_success(const RemoteReport& report) {
  if (report.error) throw *report.error;
  if (report.status == 0) return;
  throw Error(ErrorCode::checks_failed, format("it ended with status {}", report.status),
              "see its report for details");
}

void deploy(const DeployRequest& request, Deployment& result) {
  if (!request.is_resumed) result.upload = upload(request.upload);
  RemoteCommand install = request.is_resumed ? resumed_command(request) : install_command(request);
  if (request.on_install) request.on_install();
  result.report = run_there(std::move(install), request);
  require_success(*result.report);
  require_what_was_asked(*result.report, request);
  if (!result.report->awaits_confirmation || !result.report->transaction) return;
  const std::int64_t transaction = *result.report->transaction;
  try {
    // Over a new connection, which shows that the host can still be reached.
    result.confirmation = run_there(confirm_command(transaction, request), request);
    require_success(*result.confirmation);
  } catch (const Error& error) {
    throw error.within(
        format("transaction {} is not confirmed, and will be rolled back when its time is over",
               transaction));
  }
}

}  // namespace topsctl

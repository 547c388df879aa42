// topsctl transfer: sends a bundle to other hosts.
#include <chrono>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/install_options.hpp"
#include "cli/option_table.hpp"
#include "cli/targets/transfer_options.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {

namespace {

struct TransferCommandOptions : TransferOptions {
  bool all = false;
  bool no_sandbox = false;
};

struct Transferred {
  Target target;
  TargetResult result;
  Upload upload;
};

Json transfer_json(const Transferred& each, const TransferCommandOptions& options) {
  return {{"target", each.target.text()},
          {"status", status_name(each.result.status, options.dry_run)},
          {"files", topsctl::to_json(each.upload.files)},
          {"connections", each.upload.connections},
          {"round_trip_us", each.upload.round_trip_us},
          {"retries", each.upload.retries},
          {"clock_offset_s", each.upload.clock_offset_s},
          {"fed_by", text_or_null(each.upload.fed_by)},
          {"direct", each.upload.direct},
          {"duration_ms", each.result.duration_ms},
          {"error", each.result.error ? topsctl::to_json(*each.result.error) : Json(nullptr)}};
}

std::uint64_t missing_bytes(const Upload& upload) {
  std::uint64_t sum = 0;
  for (const UploadedFile& file : upload.files) sum += file.size - file.resumed_at;
  return sum;
}

std::string rate_text(std::uint64_t bytes, std::int64_t duration_ms) {
  if (bytes == 0 || duration_ms == 0) return "";
  return concat(human_size(bytes * 1000 / static_cast<std::uint64_t>(duration_ms)), "/s");
}

std::string transfer_text(const std::vector<Transferred>& all,
                          const TransferCommandOptions& options, const TransferSet& transfer_set,
                          const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"target", "state", options.dry_run ? "to send" : "sent", "time", "rate"}};
  std::string failures;
  for (const Transferred& each : all) {
    const std::uint64_t bytes =
        options.dry_run ? missing_bytes(each.upload) : sent_bytes(each.upload);
    const bool is_done = each.result.status == TargetStatus::done;
    rows.push_back({each.target.text(),
                    std::string(status_name(each.result.status, options.dry_run)),
                    is_done ? (bytes == 0 ? "nothing: up to date" : human_size(bytes)) : "",
                    is_done ? human_duration(each.result.duration_ms) : "",
                    options.dry_run ? "" : rate_text(bytes, each.result.duration_ms)});
    if (each.result.error && all.size() > 1)
      failures += render_error(each.result.error->within(each.target.text()), style);
  }
  std::string text =
      concat(counted(transfer_set.files.size(), "file"), ", ", human_size(transfer_set.bytes()),
             transfer_set.stack.empty() ? "" : format(", stack {}", transfer_set.stack), ", ",
             options.dry_run ? format("would be sent to {}", options.destination)
                             : format("to {}", options.destination),
             "\n\n", table(rows, style));
  if (!failures.empty()) text += concat("\n", failures);
  return text;
}

Output run_transfer(const TransferCommandOptions& options, Session& session) {
  require_sound(options);
  std::vector<Transferred> all;
  for (const Target& target : targets_of(options.where)) all.push_back({target, {}, {}});
  TransferSetRequest wanted = transfer_set_request(options);
  wanted.all = options.all;
  wanted.sandboxing = sandboxing_of(options.no_sandbox);
  SharedEvents events(*session.events);
  const DigestMemory memory(cache_folder(session) / "digests", *session.host.clock);
  const CarriedProgram program = own_program();
  TransferSet chosen = choose_transfer_set(wanted, events);
  const std::uint64_t bytes = chosen.bytes();
  // During the login to hosts, without output: a password prompt may be open.
  EventFan nobody;
  const std::shared_future<TransferSet> reading =
      std::async(std::launch::async, [&, chosen = std::move(chosen)]() mutable {
        return with_digests(std::move(chosen), wanted, memory, nobody);
      }).share();
  if (wanted.lock) reading.get();
  TerminalPrompter prompter;
  Secrets secrets(prompter);
  RateLimit limit(rate_limit_of(options));
  TargetPoolProgress progress(events, all.size());
  RelayChain relay(*session.host.clock);
  const auto results =
      for_each_target(all.size(), pool_options_of(options.where), [&](std::size_t index) {
        Transferred& each = all[index];
        const std::string name = each.target.text();
        progress.follow(index, name, [&] {
          // If reading has failed, do not ask for a password.
          if (reading.wait_for(std::chrono::seconds(0)) == std::future_status::ready) reading.get();
          const auto remote = remote_of(each.target, options.where, session, secrets);
          const AwaitedSet files(bytes, [&]() -> const TransferSet& {
            progress.tell(index, {name, "reading", 0, 0});
            return reading.get();
          });
          const auto on_progress = [&](std::uint64_t done, std::uint64_t of) {
            progress.tell(index, {name, "sending", done, of});
          };
          each.upload = upload({.remote = *remote,
                                .program = program,
                                .files = files,
                                .request = upload_request(options, each.target, relay),
                                .limit = limit,
                                .clock = *session.host.clock,
                                .on_progress = on_progress});
        });
      });
  const TransferSet& transfer_set = reading.get();
  for (std::size_t i = 0; i < all.size(); ++i) all[i].result = results[i];
  Output output;
  output.header.command = "transfer";
  output.header.warnings = ssh_warnings(options.where, session);
  output.header.error = error_of(results, IfRerun::continues);
  if (output.header.error) output.header.exit = exit_code(output.header.error->code());
  Json targets = Json::array();
  for (const Transferred& each : all) {
    targets.push_back(transfer_json(each, options));
    warn_of_clock(each.target, each.upload, output.header.warnings);
  }
  output.json = {{"destination", options.destination},
                 {"stack", text_or_null(transfer_set.stack)},
                 {"inputs", to_json(transfer_set.inputs)},
                 {"targets", targets}};
  output.text = transfer_text(all, options, transfer_set, session.style);
  output.changed = !options.dry_run;
  return output;
}

}  // namespace

CommandAction define_transfer(OptionTable& table) {
  auto options = std::make_shared<TransferCommandOptions>();
  add_transfer_options(table, *options);
  table.flag("--all", options->all, "Send every file of the bundle, not only what a stack needs");
  table.flag("-n,--dry-run", options->dry_run, "Show what would be sent; send nothing");
  add_sandbox_option(table, options->no_sandbox);
  return {[options](Session& session) { return run_transfer(*options, session); },
          {{"destination", nullptr},
           {"stack", nullptr},
           {"inputs", Json::array()},
           {"targets", Json::array()}}};
}

}  // namespace topsctl

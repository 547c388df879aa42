// Reads the packages, and makes the lock and the data for remote plans.
#include "cli/targets/deploy_reading.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/targets/transfer_options.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/carried_reading.hpp"
#include "topsctl/engine/planning/bundle_digest.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/trust/signed_file.hpp"
#include "topsctl/model/lock.hpp"

namespace topsctl {

namespace {

// Ensures that the targets install the packages that were read here.
SentFile lock_to_send(const TransferSetRequest& request, const TransferSet& transfer_set,
                      const Clock& clock) {
  constexpr std::size_t most_sent = 8U << 20U;
  SentFile sent;
  if (request.lock) {
    sent = {request.lock->text, request.lock->signature.value_or("")};
  } else if (!transfer_set.packages.empty() && !transfer_set.packages.front().sha256.empty()) {
    Inventory inventory;
    inventory.packages = transfer_set.packages;
    sent.text = to_text(to_json(lock_of(inventory, timestamp(clock.now()))));
  }
  if (sent.text.size() <= most_sent) return sent;
  throw Error(ErrorCode::usage,
              format("a lock of {} is too large to send", human_size(sent.text.size())),
              "lock only the packages of this stack");
}

// A target knows only topsctl's own stacks.
std::optional<SentFile> stack_to_send(const TransferSet& transfer_set) {
  // The file may be another one by now.
  if (!transfer_set.stack_text.empty())
    return SentFile{transfer_set.stack_text, transfer_set.stack_signature};
  for (const KnownStack& known : stacks_with_origin()) {
    if (known.stack.name == transfer_set.stack && !known.file.empty())
      return SentFile{known.text, read_signature(known.file).value_or("")};
  }
  return std::nullopt;
}

// For the plan of a target that does not have the packages.
std::string reading_to_send(const TransferSet& transfer_set, const TransferSetRequest& request) {
  constexpr std::size_t most_sent = 14U << 20U;
  CarriedReading reading;
  reading.packages = transfer_set.packages;
  reading.contents = read_payloads(reading.packages, request.sandboxing).contents;
  std::string text = to_text(std::move(reading));
  if (text.size() <= most_sent) return text;
  throw Error(
      ErrorCode::usage,
      format("the data for the targets' plans is too large to send: {}", human_size(text.size())),
      "send the packages with `topsctl transfer`, and run `topsctl install --dry-run` on the "
      "target");
}

}  // namespace

ReadHere read_here(TransferSet chosen, const TransferSetRequest& wanted, bool is_dry_run,
                   const Session& session, EventSink& events) {
  const DigestMemory memory(cache_folder(session) / "digests", *session.host.clock);
  ReadHere read{with_digests(std::move(chosen), wanted, memory, events), {}};
  read.beside.lock = lock_to_send(wanted, read.files, *session.host.clock);
  read.beside.stack = stack_to_send(read.files);
  if (is_dry_run) read.beside.reading = reading_to_send(read.files, wanted);
  return read;
}

}  // namespace topsctl

// Options, progress and JSON of transfers.
#include "cli/targets/transfer_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/bundle/lock_file.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

void add_transfer_options(OptionTable& table, TransferOptions& options) {
  table.argument("bundle", options.bundle, "Directory of the bundle, or a single package", "BUNDLE")
      .required();
  table
      .argument("target", options.where.targets,
                "[USER@]HOST[:PORT][/CONTAINER], or local:", "TARGET")
      .lists("hosts");
  table.value("--stack", options.stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table
      .value("--components", options.components, "Use only these components, separated by commas",
             "LIST")
      .lists("components");
  table.value("--lock", options.lock, "Send only packages whose digests are in this lock", "FILE");
  table.value("--dest", options.destination, "Directory on the target", "DIR");
  table
      .value("--limit-rate", options.rate, "Send at most SIZE per second, to all targets together",
             "SIZE")
      .check(size_with_unit());
  table
      .value("--connections", options.connections, "Open at most N connections to each target", "N")
      .check(whole_number(1, 16));
  table
      .value("--direct", options.direct, "Send by a connection beside SSH: auto, always or never",
             "WHEN")
      .choices({"auto", "always", "never"});
  table
      .value("--direct-ports", options.direct_ports,
             "Ports of the target for that connection, of which one is opened", "FROM-TO")
      .check(port_range());
  table.flag("--relay", options.relay,
             "Let targets send to each other, so that the workstation sends everything only once");
  add_target_options(table, options.where);
}

void require_destination(const std::string& folder) {
  if (folder.starts_with('/') && folder.size() > 1) return;
  throw Error(ErrorCode::usage,
              format("--dest is not the absolute path of a directory: {}", in_quotes(folder)),
              "give the absolute path of a directory on the target");
}

void require_sound(const TransferOptions& options) {
  require_destination(options.destination);
  if (options.direct == "never" && !options.direct_ports.empty()) {
    throw Error(ErrorCode::usage, "--direct-ports has no effect with --direct never",
                "leave one of them out");
  }
}

TransferSetRequest transfer_set_request(const TransferOptions& options) {
  TransferSetRequest request;
  request.bundle = {options.bundle};
  request.stack = options.stack;
  request.components = options.components;
  request.lock = chosen_lock(options.lock);
  return request;
}

UploadRequest upload_request(const TransferOptions& options, const Target& target,
                             RelayChain& relay) {
  UploadRequest request;
  request.target = target;
  request.destination = options.destination;
  request.most_connections = options.connections;
  request.dry_run = options.dry_run;
  if (options.relay) request.relay = &relay;
  using When = DirectWish::When;
  request.direct.when = options.direct == "always"  ? When::always
                        : options.direct == "never" ? When::never
                                                    : When::automatic;
  if (const auto ports = ports_of(options.direct_ports))
    std::tie(request.direct.first_port, request.direct.last_port) = *ports;
  return request;
}

std::uint64_t rate_limit_of(const TransferOptions& options) {
  return options.rate.empty() ? 0 : size_in_bytes(options.rate).value_or(0);
}

Json to_json(const std::vector<UploadedFile>& files) {
  Json list = Json::array();
  for (const UploadedFile& file : files) {
    list.push_back({{"name", file.name},
                    {"size", file.size},
                    {"sha256", text_or_null(file.sha256)},
                    {"sent_bytes", file.sent_bytes},
                    {"relayed_bytes", file.relayed_bytes},
                    {"reused", file.reused},
                    {"resumed_at", file.resumed_at}});
  }
  return list;
}

std::uint64_t sent_bytes(const Upload& upload) {
  std::uint64_t sum = 0;
  for (const UploadedFile& file : upload.files) sum += file.sent_bytes;
  return sum;
}

void warn_of_clock(const Target& target, const Upload& upload, std::vector<std::string>& warnings) {
  constexpr std::int64_t tolerated_s = 300;
  const std::int64_t difference_s = std::abs(upload.clock_offset_s);
  if (difference_s <= tolerated_s) return;
  const std::string host = in_quotes(target.text());
  const std::string difference = human_duration(difference_s * 1000);
  warnings.push_back(
      upload.clock_offset_s > 0
          ? format("the clock of {} is {} ahead: set it, or its logs and certificates will be "
                   "misleading",
                   host, difference)
          : format("the clock of {} is {} behind: set it, or its logs and certificates will be "
                   "misleading",
                   host, difference));
}

std::vector<std::string> merged(const std::vector<TargetWarning>& told, std::size_t targets) {
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;
  for (const TargetWarning& warning : told) {
    const auto same = std::find_if(warnings.begin(), warnings.end(),
                                   [&](const auto& each) { return each.first == warning.text; });
    auto& names = same == warnings.end()
                      ? warnings.emplace_back(warning.text, std::vector<std::string>()).second
                      : same->second;
    if (names.empty() || names.back() != warning.target) names.push_back(warning.target);
  }
  std::vector<std::string> lines;
  for (const auto& [warning, names] : warnings) {
    const bool is_of_all = names.size() > 1 && names.size() == targets;
    lines.push_back(is_of_all ? format("all {} targets: {}", targets, warning)
                              : format("{}: {}", joined(names, ", "), warning));
  }
  return lines;
}

const char* status_name(TargetStatus status, bool is_dry_run) {
  switch (status) {
    case TargetStatus::not_started:
      return "not_started";
    case TargetStatus::failed:
      return "failed";
    case TargetStatus::done:
      break;
  }
  return is_dry_run ? "planned" : "done";
}

void TargetPoolProgress::follow(std::size_t index, const std::string& name,
                                const std::function<void()>& work) {
  tell(index, {name, "connecting", 0, 0});
  try {
    work();
  } catch (const Error& error) {
    tell(index, {name, "failed", 0, 0});
    if (done_.size() > 1 && !is_interrupted())
      events_.note(format("{}: failed: {}", name, first_lines(error.message(), 1)));
    throw;
  }
  tell(index, {name, "done", 0, 0});
}

void TargetPoolProgress::tell(std::size_t index, const TargetProgress& progress) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.target_progressed(progress);
  if (progress.total == 0) return;
  done_[index] = progress.done;
  totals_[index] = progress.total;
  std::uint64_t all_done = 0;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < done_.size(); ++i) {
    all_done += done_[i];
    // Those that have not begun will need the same amount.
    all += totals_[i] == 0 ? progress.total : totals_[i];
  }
  events_.progressed(all_done, all);
}

}  // namespace topsctl

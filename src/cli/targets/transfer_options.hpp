// The common options of `transfer` and `deploy`.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/targets/target_options.hpp"
#include "topsctl/engine/transfer/upload.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct TransferOptions {
  TargetOptions where;
  std::string bundle;
  std::string stack;
  std::string components;
  std::optional<std::string> lock;
  std::string destination = usual_destination;
  std::string rate;
  unsigned connections = 10;
  bool relay = false;
  std::string direct = "auto";
  std::string direct_ports;
  bool dry_run = false;
};

void add_transfer_options(OptionTable& table, TransferOptions& options);
// Throws Error{usage} unless it is an absolute path, and not the root.
void require_destination(const std::string& folder);
// Throws Error{usage} for invalid combinations that the parser accepts.
void require_sound(const TransferOptions& options);
TransferSetRequest transfer_set_request(const TransferOptions& options);
// `relay` must outlive it.
UploadRequest upload_request(const TransferOptions& options, const Target& target,
                             RelayChain& relay);
std::uint64_t rate_limit_of(const TransferOptions& options);  // bytes per second; 0: no limit

Json to_json(const std::vector<UploadedFile>& files);
std::uint64_t sent_bytes(const Upload& upload);
// A warning in the report of a target.
struct TargetWarning {
  std::string target;
  std::string text;
};
// Each once, with the targets that have it; `targets`: how many there are.
std::vector<std::string> merged(const std::vector<TargetWarning>& told, std::size_t targets);

// Adds a warning if the remote clock differs from ours by more than five minutes.
void warn_of_clock(const Target& target, const Upload& upload, std::vector<std::string>& warnings);
// "done", "planned", "failed" or "not_started".
const char* status_name(TargetStatus status, bool is_dry_run);

// Progress of all targets, in total and for each. Thread-safe.
class TargetPoolProgress {
 public:
  TargetPoolProgress(EventSink& events, std::size_t targets)
      : events_(events), done_(targets), totals_(targets) {}
  void tell(std::size_t index, const TargetProgress& progress);
  // Reports the beginning and the end of the work for one target.
  void follow(std::size_t index, const std::string& name, const std::function<void()>& work);

 private:
  EventSink& events_;
  std::mutex mutex_;
  std::vector<std::uint64_t> done_;
  std::vector<std::uint64_t> totals_;
};

}  // namespace topsctl

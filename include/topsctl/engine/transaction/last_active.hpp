// Records until when a transaction was active: later changes are foreign.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The kernel's boot ID; empty if it cannot be read.
std::string this_start();

// Touches a file in the transaction's directory regularly while the object lives. Fails silently:
// without the file, the journal has the time of the last activity.
class LastActive {
 public:
  // `folder` is the transaction's directory, as this process sees it.
  explicit LastActive(const std::filesystem::path& folder);
  ~LastActive();
  LastActive(const LastActive&) = delete;
  LastActive& operator=(const LastActive&) = delete;

  // Ends the touching and removes the file: the transaction has ended.
  void end();

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::mutex mutex_;
  std::condition_variable_any stops_;
  std::jthread thread_;
};

// The time after which the transaction changed nothing, in ns since the epoch by the clock of the
// file times. The last touch may be lost in a reboot: then one minute is added, but not past the
// boot.
std::int64_t end_of_work_ns(const Host& host, const Transaction& transaction);

}  // namespace topsctl

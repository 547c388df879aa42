// Until when a transaction was at work: what was changed later is somebody else's.
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

// What the kernel calls this run of the machine; empty if it does not tell.
std::string this_start();

// Sets the time of a file in the transaction's folder again and again for as long as the object
// lives. Fails silently: without it, the journal tells when the transaction was last at work.
class SignOfLife {
 public:
  // `folder` is the transaction's, as this process sees it.
  explicit SignOfLife(const std::filesystem::path& folder);
  ~SignOfLife();
  SignOfLife(const SignOfLife&) = delete;
  SignOfLife& operator=(const SignOfLife&) = delete;

  // The transaction has come to an end: the file goes too.
  void end();

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::mutex mutex_;
  std::condition_variable_any stops_;
  std::jthread thread_;
};

// The time after which the transaction has changed nothing, in ns since the epoch by the clock of
// the files' times. After a restart of the machine the last sign may be lost: then a minute later,
// but not after the start.
std::int64_t end_of_work_ns(const Host& host, const Transaction& transaction);

}  // namespace topsctl

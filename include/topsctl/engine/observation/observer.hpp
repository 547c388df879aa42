// The process that backs up each path before a program of an install changes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/observation/call_tracer.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Why programs cannot be observed on this host; empty: they can. One reason: the store and the
// host's root are on different file systems, so files could not be linked.
std::string why_not_observable(const Host& host);

// Traces the programs that are started with its setup and all their descendants, even after topsctl
// is killed. Backs paths up until the store is closed (observed_record.hpp). Then it detaches from
// the remaining processes, such as a daemon of a script. Processes with a filter stay traced until
// they exit, because a filter cannot be removed. If the tracer is killed, the kernel kills its
// tracees. A change that cannot be backed up is refused with EIO. Two threads of one program that
// change one path at the same time can evade it; the verification of a rollback finds that.
class Observer {
 public:
  // With a snapshot whose record is in the store. No other thread may be running. Throws Error.
  Observer(const Host& host, const Snapshot& snapshot, const std::filesystem::path& store);

  const ProcessSetup& setup() const { return *start_; }
  // Paths that it could not back up since the last call, and whether it ended early.
  std::vector<std::string> failures() const;

 private:
  Descriptor socket_;
  std::optional<TracedStart> start_;
};

}  // namespace topsctl

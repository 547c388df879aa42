// The process beside topsctl that keeps each path before a program of an install changes it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/observation/call_tracer.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Why programs cannot be observed on this machine; empty: they can. Also where the store and the
// machine's root lie on two file systems: then nothing could be kept as a link.
std::string why_not_observable(const Host& host);

// It traces the programs that were started with its setup, and all that they have started, also
// when topsctl is killed. It keeps until the store is closed (observed_record.hpp): then it lets go
// of what is left, a daemon of a script. Where a filter tells it the calls, which nobody can take
// from a process, it goes on answering until the last of them has ended. If it is killed, so is
// what it traces. What it cannot keep must not be changed: the call fails with EIO. Two threads of
// one program that change one path at the same time can deceive it: what comes of that, the
// comparison of the kept files finds.
class Observer {
 public:
  // With a snapshot whose record lies in the store. No other thread may be at work. Throws Error.
  Observer(const Host& host, const Snapshot& snapshot, const std::filesystem::path& store);

  const ProcessSetup& setup() const { return *start_; }
  // What it could not keep since it was asked last, and whether it has ended before its time.
  std::vector<std::string> failures() const;

 private:
  Descriptor socket_;
  std::optional<TracedStart> start_;
};

}  // namespace topsctl

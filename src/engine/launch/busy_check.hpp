// Whether the cards of a training compute, asked some times after its start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/supervisor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// By `topsctl watch` as one more program of the supervisor: what takes long holds no log up.
class BusyChecker {
 public:
  BusyChecker(const Host& host, const LaunchPlan& plan, Supervisor& supervisor);

  // When to call step() at the latest.
  const WaitLimit& next() const { return next_; }
  // -1: nothing is to be read.
  int descriptor() const { return output_.is_open() ? output_.get() : -1; }
  // Starts a check that is due, or takes what one says. The answer, when there is a new one.
  std::optional<BusyCheck> step();

 private:
  void start();
  std::optional<BusyCheck> finish();

  const Host& host_;
  const LaunchPlan& plan_;
  Supervisor& supervisor_;
  std::size_t number_ = 0;  // of the next check
  WaitLimit next_;
  Descriptor output_;
  std::string report_;
};

}  // namespace topsctl

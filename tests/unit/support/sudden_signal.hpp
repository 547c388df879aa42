// A user who presses Ctrl-C while something long is done.
#pragma once

#include <chrono>
#include <csignal>
#include <thread>

#include "thrown.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

// The Error that `call` throws when SIGINT comes 100 ms after its begin.
template <class Call>
Error thrown_when_interrupted(const Call& call) {
  watch_signals();
  clear_interrupt();
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::raise(SIGINT);
  });
  Error error = thrown_by(call);
  user.join();
  clear_interrupt();
  return error;
}

}  // namespace topsctl

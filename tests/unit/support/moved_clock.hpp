// A clock that a test moves on, of both kinds at once.
#pragma once

#include <chrono>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

class MovedClock : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point(std::chrono::seconds(1'795'515'300) + passed);
  }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(passed);
  }
  std::chrono::milliseconds passed{0};
};

}  // namespace topsctl

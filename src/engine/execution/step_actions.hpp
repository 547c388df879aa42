// The actions of a plan's steps on a host: the real one, or an overlay sandbox.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Directories for a step, as paths on the host.
struct StepPlaces {
  std::string stage;                    // our copies of the packages
  std::string temporary;                // for temporary files of programs
  const ProcessSetup* setup = nullptr;  // for each program
};

// Each returns a message for success, and throws Error for a failure.

// Runs a program; its output goes to `events`.
std::string perform(const Host& host, const RunCommand& run, const StepPlaces& places,
                    EventSink& events);
std::string perform(const Host& host, const WriteFile& file);

}  // namespace topsctl

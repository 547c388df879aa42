// What steps of a plan do to a machine: to the real one, or to a view of it that is thrown away.
#pragma once

#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Where a step finds what it needs, as the machine sees it.
struct StepPlaces {
  std::string stage;                    // our own copies of the packages
  std::string temporary;                // for the files that programs make for a while
  const ProcessSetup* setup = nullptr;  // of each program
};

// Each returns what there is to say of a success, and throws Error for a failure.

// Runs a program; its output goes to `events`.
std::string perform(const Host& host, const RunCommand& run, const StepPlaces& places,
                    EventSink& events);
std::string perform(const Host& host, const WriteFile& file);

}  // namespace topsctl

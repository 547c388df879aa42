// A machine made of a temporary folder, a clock that a test sets, and a runner that a test scripts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "temporary_folder.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Stands still unless a test moves it.
class SetClock : public Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return time; }
  std::chrono::steady_clock::time_point steady() const override { return {}; }
  std::chrono::system_clock::time_point time{std::chrono::seconds(1'795'515'300)};
};

class ScriptedRunner : public ProcessRunner {
 public:
  RunResult run(const Command& command) override {
    commands.push_back(command);
    if (on_run) return on_run(command);
    RunResult result;
    result.status = 0;
    return result;
  }
  std::vector<Command> commands;
  std::function<RunResult(const Command&)> on_run;
};

// A folder in the place of a file that no restore removes: it holds what may be dpkg's lock.
inline void put_in_the_way(const TemporaryFolder& folder, const std::string& file) {
  std::filesystem::remove_all(folder / file);
  folder.write(file + "/lib/dpkg/lock", "in the way");
}

struct SampleHost {
  TemporaryFolder folder;
  SetClock clock;
  ScriptedRunner runner;
  Host host{folder.path(), &runner, &clock, {}};
};

}  // namespace topsctl

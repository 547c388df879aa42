// The priority of a thread.
#pragma once

namespace topsctl {

// While it lives, this thread and those that it starts get a core only when others leave one (nice
// 19). For root alone: others could not put it back.
class LowPriority {
 public:
  LowPriority();
  ~LowPriority();
  LowPriority(const LowPriority&) = delete;
  LowPriority& operator=(const LowPriority&) = delete;

 private:
  int before_ = 0;
  bool is_lowered_ = false;
};

}  // namespace topsctl

// The priority of a thread.
#pragma once

namespace topsctl {

// While it lives, this thread and threads that it starts run at nice 19. Only for root: other users
// could not restore the priority.
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

// explicit_bzero, and hiding of this process's memory.
#include "topsctl/host/system/secret.hpp"

#include <sys/prctl.h>

#include <cstring>

namespace topsctl {

void wipe(void* memory, std::size_t bytes) {
  ::explicit_bzero(memory, bytes);
}

void wipe(std::string& text) {
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

void hide_memory() {
  ::prctl(PR_SET_DUMPABLE, 0);
}

void Secret::add(char c) {
  if (bytes_.empty()) bytes_.push_back(0);
  bytes_.back() = c;
  bytes_.push_back(0);
}

}  // namespace topsctl

// Shares the members of an archive, and the memory to read them whole, among threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "topsctl/host/zip.hpp"

namespace topsctl {

// Hands out each member once. Those that would take more than all the memory are read as streams
// and come first; then the one that takes most of what is left, so that small members run beside a
// big one. When nothing fits, the biggest is read as a stream: no thread ever waits.
class MemberQueue {
 public:
  struct Turn {
    std::size_t index = 0;
    MemberReading how = MemberReading::stream;
  };

  // `needs`: bytes to read each member whole, the biggest first. `memory`: bytes for all together.
  MemberQueue(std::vector<std::uint64_t> needs, std::uint64_t memory);

  // Nothing: every member was handed out.
  std::optional<Turn> next();
  // Gives the memory of a turn back.
  void done(const Turn& turn);

 private:
  std::size_t first_left(std::size_t from);

  std::mutex mutex_;
  std::vector<std::uint64_t> needs_;
  std::vector<std::size_t> following_;  // where to look next for a member that is left
  std::uint64_t memory_;
  std::uint64_t free_;
};

}  // namespace topsctl

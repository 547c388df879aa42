// Chooses members by the memory they take.
#include "topsctl/host/member_queue.hpp"

#include <algorithm>
#include <numeric>

namespace topsctl {

MemberQueue::MemberQueue(std::vector<std::uint64_t> needs, std::uint64_t memory)
    : needs_(std::move(needs)), following_(needs_.size() + 1), memory_(memory), free_(memory) {
  std::iota(following_.begin(), following_.end(), std::size_t{0});
}

std::optional<MemberQueue::Turn> MemberQueue::next() {
  const std::lock_guard lock(mutex_);
  const std::size_t biggest = first_left(0);
  if (biggest == needs_.size()) return std::nullopt;
  const auto fitting = std::partition_point(needs_.begin(), needs_.end(),
                                            [&](std::uint64_t need) { return need > free_; });
  const std::size_t best = first_left(static_cast<std::size_t>(fitting - needs_.begin()));
  const bool is_whole = needs_[biggest] <= memory_ && best != needs_.size();
  const std::size_t taken = is_whole ? best : biggest;
  following_[taken] = taken + 1;
  if (!is_whole) return Turn{taken, MemberReading::stream};
  free_ -= needs_[taken];
  return Turn{taken, MemberReading::whole};
}

void MemberQueue::done(const Turn& turn) {
  if (turn.how == MemberReading::stream) return;
  const std::lock_guard lock(mutex_);
  free_ += needs_[turn.index];
}

// Paths are halved as they are followed, so that members taken are passed over in no time.
std::size_t MemberQueue::first_left(std::size_t from) {
  while (following_[from] != from) {
    following_[from] = following_[following_[from]];
    from = following_[from];
  }
  return from;
}

}  // namespace topsctl

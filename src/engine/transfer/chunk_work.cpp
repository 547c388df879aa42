// Assigns chunks, and checks their acknowledgements.
#include "topsctl/engine/transfer/chunk_work.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

using Guard = std::lock_guard<std::mutex>;
constexpr unsigned most_false_digests = 3;

}  // namespace

ChunkWork::ChunkWork(std::vector<ShippedObject>& objects, const RemoteState& state,
                     const UploadProgress& on_progress)
    : objects_(objects), on_progress_(on_progress) {
  for (std::uint32_t i = 0; i < objects.size(); ++i) {
    const ChunkList& chunks = objects[i].file->chunks;
    const ObjectState& there = state.objects[i];
    std::uint64_t& have = objects[i].there_bytes;
    total_ += chunks.size;
    have = there.complete ? chunks.size : 0;
    for (std::uint64_t k = 0; !there.complete && k < chunks.digests.size(); ++k) {
      if (there.digests[k] == chunks.digests[k])
        have += chunk_size(chunks.size, k);
      else
        missing_.push_back({i, k});
    }
    verified_ += have;
  }
  had_ = verified_;
  left_ = missing_.size();
  on_progress_(verified_, total_);
}

std::optional<ChunkPlace> ChunkWork::take() {
  const Guard guard(mutex_);
  if (missing_.empty() || has_failed_) return std::nullopt;
  const ChunkPlace place = missing_.front();
  missing_.pop_front();
  return place;
}

std::vector<ChunkPlace> ChunkWork::take_some(unsigned most) {
  const Guard guard(mutex_);
  std::vector<ChunkPlace> places;
  const std::size_t wanted =
      std::clamp<std::size_t>(missing_.size() / (2 * bells_.size() + 1), 1, most);
  while (!has_failed_ && !missing_.empty() && places.size() < wanted) {
    const ChunkPlace place = missing_.front();
    const bool is_whole = size_of(place) == chunk_bytes;
    if (!is_whole && !places.empty()) break;
    places.push_back(place);
    missing_.pop_front();
    if (!is_whole) break;
  }
  return places;
}

std::set<ChunkPlace> ChunkWork::take_all() {
  const Guard guard(mutex_);
  std::set<ChunkPlace> all(missing_.begin(), missing_.end());
  missing_.clear();
  return all;
}

void ChunkWork::put_back(const std::set<ChunkPlace>& places) {
  const Guard guard(mutex_);
  missing_.insert(missing_.begin(), places.begin(), places.end());
  ring_all();
}

void ChunkWork::add(const Bell& bell) {
  const Guard guard(mutex_);
  bells_.insert(&bell);
}

void ChunkWork::remove(const Bell& bell) {
  const Guard guard(mutex_);
  bells_.erase(&bell);
}

void ChunkWork::ring_all() const {
  for (const Bell* bell : bells_) bell->ring();
}

bool ChunkWork::judge(const Ack& ack, Route route) {
  const ShippedFile& file = file_of(ack.place);
  const std::uint64_t size = size_of(ack.place);
  const Guard guard(mutex_);
  if (file.chunks.digests.at(ack.place.chunk) == ack.digest) {
    if (--left_ == 0) ring_all();
    verified_ += size;
    if (route == Route::relayed) objects_[ack.place.object].relayed_bytes += size;
    on_progress_(verified_, total_);
    return true;
  }
  missing_.push_back(ack.place);
  ring_all();
  if (auto changed = change_of(file, ack.place.chunk)) {
    has_failed_ = true;
    throw *std::move(changed);
  }
  // Data forwarded by another host do not count against this one.
  if (route == Route::relayed || ++false_digests_ < most_false_digests) return false;
  has_failed_ = true;
  throw Error(ErrorCode::unreachable,
              format("the digest of {} on the remote host differs from what was sent",
                     in_quotes(file.name)),
              "its memory or disk may be faulty");
}

void ChunkWork::count_sent(const ChunkPlace& place) {
  const Guard guard(mutex_);
  objects_[place.object].sent_bytes += size_of(place);
}

std::uint64_t ChunkWork::size_of(const ChunkPlace& place) const {
  return chunk_size(file_of(place).chunks.size, place.chunk);
}

void ChunkWork::fail() {
  const Guard guard(mutex_);
  has_failed_ = true;
  ring_all();
}

bool ChunkWork::is_over() const {
  const Guard guard(mutex_);
  return left_ == 0 || has_failed_;
}

std::uint64_t ChunkWork::missing_bytes() const {
  const Guard guard(mutex_);
  return total_ - verified_;
}

std::uint64_t ChunkWork::verified_bytes() const {
  const Guard guard(mutex_);
  return verified_;
}

std::uint64_t ChunkWork::gained_bytes() const {
  const Guard guard(mutex_);
  return verified_ - had_;
}

}  // namespace topsctl

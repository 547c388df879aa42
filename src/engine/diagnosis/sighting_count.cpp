// Limits the size of a job's timeline.
#include "engine/diagnosis/sighting_count.hpp"

#include <algorithm>

namespace topsctl {

namespace {

constexpr std::uint8_t most_sightings = 20;  // of one diagnosis, key and file
// Of a whole job: from the first number on, one of each kind is kept; then one per diagnosis and
// file.
constexpr std::size_t many_sightings = 32'768;
constexpr std::size_t too_many_sightings = 2 * many_sightings;

}  // namespace

bool SightingCount::note(std::size_t diagnosis, int key, std::size_t all) {
  if (is_enough(diagnosis, key, all)) return false;
  Counts& counts = by_key_[key];
  if (counts.size() <= diagnosis) counts.resize(diagnosis + 1);
  counts[diagnosis] = std::min<std::uint8_t>(counts[diagnosis] + 1, most_sightings);
  if (is_seen_.size() <= diagnosis) is_seen_.resize(diagnosis + 1);
  is_seen_[diagnosis] = true;
  last_ = nullptr;
  return true;
}

const SightingCount::Counts* SightingCount::of(int key) const {
  if (last_ != nullptr && last_key_ == key) return last_;
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  last_key_ = key;
  last_ = &found->second;
  return last_;
}

bool SightingCount::is_enough(std::size_t diagnosis, int key, std::size_t all) const {
  if (diagnosis >= is_seen_.size() || !is_seen_[diagnosis]) return false;
  if (all >= too_many_sightings) return true;
  const Counts* counts = of(key);
  return counts != nullptr && diagnosis < counts->size() &&
         (*counts)[diagnosis] >= (all < many_sightings ? most_sightings : 1);
}

}  // namespace topsctl

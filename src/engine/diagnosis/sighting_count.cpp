// Bounds what the story of a job takes.
#include "engine/diagnosis/sighting_count.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_sightings = 20;  // of one diagnosis, key and file
// Of a whole job: from so many on one of each of these suffices, then one of a diagnosis and file.
constexpr std::size_t many_sightings = 32'768;
constexpr std::size_t too_many_sightings = 2 * many_sightings;

}  // namespace

bool SightingCount::is_enough(const Diagnosis* diagnosis, int key, std::size_t all) const {
  const auto seen = seen_.find(diagnosis);
  if (seen == seen_.end()) return false;
  if (all >= too_many_sightings) return true;
  const auto of_key = seen->second.find(key);
  return of_key != seen->second.end() &&
         of_key->second >= (all < many_sightings ? most_sightings : 1);
}

}  // namespace topsctl

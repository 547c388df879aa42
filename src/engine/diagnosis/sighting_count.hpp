// How often a diagnosis was seen in the logs of a job, and when that suffices.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

// Of one file; `key`: what writes the lines, such as a rank.
class SightingCount {
 public:
  void note(const Diagnosis* diagnosis, int key) { ++seen_[diagnosis][key]; }
  // `all`: sightings of the whole job.
  bool is_enough(const Diagnosis* diagnosis, int key, std::size_t all) const;

 private:
  std::unordered_map<const Diagnosis*, std::unordered_map<int, std::size_t>> seen_;
};

}  // namespace topsctl

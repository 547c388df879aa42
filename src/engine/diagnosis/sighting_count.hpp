// Counts the sightings of a diagnosis in a job's logs, up to a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace topsctl {

// Counts for one file; `key`: the writer of the lines, such as a rank. A diagnosis is identified by
// its index in the catalogue.
class SightingCount {
 public:
  // `all`: sightings of the whole job.
  bool is_enough(std::size_t diagnosis, int key, std::size_t all) const;
  // Counts it, unless it is enough.
  bool note(std::size_t diagnosis, int key, std::size_t all);

 private:
  using Counts = std::vector<std::uint8_t>;  // by diagnosis
  const Counts* of(int key) const;

  std::unordered_map<int, Counts> by_key_;
  std::vector<bool> is_seen_;  // by diagnosis
  // The last query: lines of one key are usually adjacent.
  mutable int last_key_ = 0;
  mutable const Counts* last_ = nullptr;
};

}  // namespace topsctl

// What a rehearsal showed, as reports have it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

struct RehearsedMount {
  std::string path;
  std::uint64_t written_bytes = 0;  // of all files that were written, in blocks
  std::int64_t growth_bytes = 0;    // the same less what they replaced and what was removed
};

struct RehearsedPackage {
  std::string name;
  PackageKind kind = PackageKind::deb;
  std::string version;  // afterwards; empty: it is not there
  std::string state;    // "install ok installed"; of a wheel what was observed
};

struct RehearsalReport {
  std::string store;                // "disk" or "memory": where what was written lay
  std::uint64_t paths = 0;          // made, changed or removed
  std::vector<std::string> missed;  // those of them that the prediction lacks, sorted
  std::vector<RehearsedMount> mounts;
  std::vector<RehearsedPackage> packages;
};

Json to_json(const RehearsalReport& rehearsal);

}  // namespace topsctl

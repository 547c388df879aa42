// JSON form of rehearsals.
#include "topsctl/model/rehearsal.hpp"

#include <nlohmann/json.hpp>

namespace topsctl {

Json to_json(const RehearsalReport& rehearsal) {
  Json mounts = Json::array();
  for (const RehearsedMount& mount : rehearsal.mounts) {
    mounts.push_back({{"path", mount.path},
                      {"written_bytes", mount.written_bytes},
                      {"growth_bytes", mount.growth_bytes}});
  }
  Json packages = Json::array();
  for (const RehearsedPackage& package : rehearsal.packages) {
    packages.push_back({{"name", package.name},
                        {"kind", name(package.kind)},
                        {"version", text_or_null(package.version)},
                        {"state", package.state}});
  }
  return {{"store", rehearsal.store},
          {"paths", rehearsal.paths},
          {"missed_paths", rehearsal.missed},
          {"mounts", std::move(mounts)},
          {"packages", std::move(packages)}};
}

}  // namespace topsctl

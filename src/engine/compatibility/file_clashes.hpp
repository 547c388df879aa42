// Files that several packages have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"

namespace topsctl {

// A file of an installed package that the package's new version, also in the bundle, no longer has.
struct FileTakeover {
  const KnownDeb* from = nullptr;  // of the bundle
  const KnownDeb* to = nullptr;
  std::string path;
};

struct FileClashes {
  struct Pair {
    const KnownDeb* deb = nullptr;    // of the bundle
    const KnownDeb* other = nullptr;  // of the target or the bundle
    bool operator<(const Pair& right) const;
  };
  std::map<Pair, std::vector<Evidence>> with_installed;
  std::map<Pair, std::vector<Evidence>> in_bundle;
  // The preinst of `deb` makes diversions, but of unknown files.
  std::map<Pair, std::vector<Evidence>> unless_diverted;
  std::vector<FileTakeover> handovers;
};

FileClashes file_clashes(const ComparedDebs& debs, const TargetSnapshot& target);

// `order` determines which takeovers come too early, and which deb gets the finding for a clash in
// the bundle.
void check_files(const FileClashes& clashes, const std::vector<const KnownDeb*>& order,
                 Findings& findings);

// Whether /lib is /usr/lib on the target, by its packages and libraries.
bool is_usr_merged(const TargetSnapshot& target);

}  // namespace topsctl

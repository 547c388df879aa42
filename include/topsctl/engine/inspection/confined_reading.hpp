// Reading of bundles by a process that can do nothing to the machine: what is in them may be made
// to take over whoever reads it.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/bundle/bundle.hpp"
#include "topsctl/host/bundle/bundle_reader.hpp"
#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

// Whether there is a sandbox, and who hears of it if the machine refuses a part of it.
struct SandboxWish {
  Sandboxing sandboxing = Sandboxing::on;
  std::function<void(const std::string& warning)> on_warning;
};

struct JudgedBundle {
  Inspection inspection;
  std::vector<Finding> findings;  // bundle_findings()
};
inline auto members_of(JudgedBundle& value) {
  auto& [inspection, findings] = value;
  return std::tie(inspection, findings);
}

// read_bundle() and what there is to say of it. Throws what that throws, and Error{bad_bundle} when
// the reading process dies.
JudgedBundle read_and_judge(const FoundFiles& found, const BundleReading& reading,
                            const SandboxWish& wish);

// read_inventory(), alike.
Inventory read_inventory_confined(const FoundFiles& found, const SandboxWish& wish,
                                  const std::function<void(const std::string&)>& on_file = {});

// Throws Error{bad_bundle} unless each package lies in one of these files: the process that tells
// of them is not trusted.
void require_given(const std::vector<Package>& packages,
                   const std::set<std::filesystem::path>& files);

}  // namespace topsctl

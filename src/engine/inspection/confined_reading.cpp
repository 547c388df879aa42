// The work of readers, and the files that they may open.
#include "topsctl/engine/inspection/confined_reading.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/bundle_findings.hpp"
#include "topsctl/model/packed_inspection.hpp"

namespace topsctl {

namespace {

ConfinedCall call_for(const FoundFiles& found, const SandboxWish& wish) {
  ConfinedCall call;
  call.sandboxing = wish.sandboxing;
  call.subject = in_quotes(found.subject);
  for (const FoundFile& file : found.files) call.inputs.insert(file.file);
  call.on_warning = wish.on_warning;
  return call;
}

}  // namespace

void require_given(const std::vector<Package>& packages,
                   const std::set<std::filesystem::path>& files) {
  for (const Package& package : packages) {
    if (files.contains(package.location)) continue;
    throw Error(ErrorCode::bad_bundle,
                format("the reader process reports a file that is not in the bundle: {}",
                       in_quotes(package.location)),
                "get the bundle again from its source: it may be malicious");
  }
}

JudgedBundle read_and_judge(const FoundFiles& found, const BundleReading& reading,
                            const SandboxWish& wish) {
  ConfinedCall call = call_for(found, wish);
  call.on_file = reading.on_file;
  call.on_bytes = reading.on_bytes;
  auto judged = confined<JudgedBundle>(call, [&](const ConfinedProgress& progress) {
    BundleReading inner = reading;
    inner.on_file = [&](const std::string& path) { progress.file(path); };
    inner.on_bytes = [&](std::uint64_t done, std::uint64_t total) { progress.bytes(done, total); };
    JudgedBundle judged;
    judged.inspection = read_bundle(found, inner);
    judged.findings = bundle_findings(judged.inspection);
    return judged;
  });
  require_given(judged.inspection.inventory.packages, call.inputs);
  return judged;
}

Inventory read_inventory_confined(const FoundFiles& found, const SandboxWish& wish,
                                  const std::function<void(const std::string&)>& on_file) {
  ConfinedCall call = call_for(found, wish);
  call.on_file = on_file;
  auto inventory = confined<Inventory>(call, [&](const ConfinedProgress& progress) {
    return read_inventory(found, [&](const std::string& path) { progress.file(path); });
  });
  require_given(inventory.packages, call.inputs);
  return inventory;
}

}  // namespace topsctl

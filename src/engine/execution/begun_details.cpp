// Tells what an install is about to do.
#include "engine/execution/begun_details.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

Json patch_details(const Plan& plan) {
  Json patched = Json::object();
  for (const Step& step : plan.steps) {
    if (const auto* file = std::get_if<PatchFile>(&step.action)) patched[file->path] = file->sha256;
  }
  return {{"kind", name(plan.kind)}, {"project", plan.project}, {"patched", std::move(patched)}};
}

}  // namespace

Json begun_details(const Host& host, const TransactionReport& report, const Requester& requester) {
  Json packages = Json::array();
  for (const PackageChange& change : report.packages) {
    packages.push_back({{"name", change.name},
                        {"kind", name(change.kind)},
                        {"before", change.before ? Json(*change.before) : Json(nullptr)},
                        {"after", *change.after},
                        {"purl", change.purl}});
  }
  Json details = {{"transaction", *report.transaction},
                  {"started_at", timestamp(host.clock->now())},
                  {"user", requester.user},
                  {"command", requester.command_line},
                  {"stack", report.plan->stack},
                  {"release", report.plan->release},
                  {"packages", std::move(packages)},
                  {"inputs", to_json(requester.inputs)}};
  if (report.plan->kind == TransactionKind::patch) details.update(patch_details(*report.plan));
  return details;
}

Json prepared_details(const WriteSetSummary& summary) {
  return {{"kept_bytes", summary.bytes}, {"method", summary.method}, {"why_not", summary.why_not},
          {"paths", summary.paths},      {"linked", summary.linked}, {"copied", summary.copied}};
}

}  // namespace topsctl

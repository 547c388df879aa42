// Records what an install is about to do.
#include "topsctl/engine/execution/begun_details.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/bundle_digest.hpp"

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

TransactionReport begun_report(const Host& host, const Plan& plan, const Requester& requester) {
  TransactionReport report = pending_report(plan);
  report.origin = origin_of(host);
  report.origin.user = requester.user;
  if (!requester.started_at.empty()) report.origin.started_at = requester.started_at;
  if (!requester.bundle.empty()) report.bundle = bundle_of(plan, requester.bundle);
  report.inputs = requester.inputs;
  return report;
}

std::string reason_of(const Error& error) {
  std::string reason;
  for (const std::string& circumstance : error.context()) reason += concat(circumstance, ": ");
  const std::vector<std::string> lines = split(error.message(), '\n');
  reason += lines.front();
  // The first sentence of a program's message: continuation lines begin with a blank.
  for (std::size_t i = 1; i < lines.size() && (i == 1 || lines[i].starts_with(' ')); ++i)
    reason += concat(i == 1 ? ": " : " ", trimmed(lines[i]));
  return printable(reason);
}

Json begun_details(const TransactionReport& report, const Requester& requester) {
  Json packages = Json::array();
  for (const PackageChange& change : report.packages) {
    packages.push_back({{"name", change.name},
                        {"kind", name(change.kind)},
                        {"before", change.before ? Json(*change.before) : Json(nullptr)},
                        {"after", *change.after},
                        {"purl", change.purl}});
  }
  Json details = {{"transaction", *report.transaction},
                  {"started_at", report.origin.started_at},
                  {"host", report.origin.host},
                  {"user", requester.user},
                  {"bundle", to_json(report.bundle)},
                  {"bundle_at", requester.bundle_at},
                  {"command", requester.command_line},
                  {"made_by", report.plan->command},
                  {"stack", report.plan->stack},
                  {"release", report.plan->release},
                  {"packages", std::move(packages)},
                  {"inputs", to_json(requester.inputs)},
                  {"services", report.plan->lasting_effects.services},
                  {"kernel_modules", report.plan->lasting_effects.kernel_modules}};
  if (report.plan->kind == TransactionKind::patch) details.update(patch_details(*report.plan));
  return details;
}

Json prepared_details(const WriteSetSummary& summary) {
  return {{"kept_bytes", summary.bytes}, {"method", summary.known},  {"why_not", summary.reason},
          {"paths", summary.paths},      {"linked", summary.linked}, {"copied", summary.copied}};
}

}  // namespace topsctl

// Tells what an install is about to do.
#include "engine/execution/begun_details.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

Json begun_details(const Host& host, const TransactionReport& report, const Requester& requester) {
  Json packages = Json::array();
  for (const PackageChange& change : report.packages) {
    packages.push_back({{"name", change.name},
                        {"kind", name(change.kind)},
                        {"before", change.before ? Json(*change.before) : Json(nullptr)},
                        {"after", *change.after},
                        {"purl", change.purl}});
  }
  return {{"transaction", *report.transaction},
          {"started_at", timestamp(host.clock->now())},
          {"user", requester.user},
          {"command", requester.command_line},
          {"stack", report.plan->stack},
          {"packages", std::move(packages)},
          {"inputs", to_json(requester.inputs)}};
}

}  // namespace topsctl

// Reads from journals and reports what an install was made from.
#include "topsctl/engine/operations/repair_source.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> recorded_bundle(const Transaction& transaction) {
  std::vector<std::string> paths;
  const Json begun = Json::parse(transaction.records.front().details, nullptr, false);
  if (!begun.is_object() || !begun.contains("bundle_at")) return paths;
  for (const Json& path : begun.at("bundle_at")) {
    if (path.is_string()) paths.push_back(path.get<std::string>());
  }
  return paths;
}

std::string recorded_python(const Host& host, const Transaction& transaction) {
  const Json::json_pointer place("/plan/python");
  for (const Json& report : reports_of(host, transaction)) {
    if (report.is_object() && report.contains(place) && report.at(place).is_string())
      return report.at(place).get<std::string>();
  }
  return {};
}

}  // namespace

RepairSource repair_source(const Host& host) {
  std::vector<Transaction> all = list_transactions(host);
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (each->state() != TransactionState::committed || each->kind() != TransactionKind::install)
      continue;
    RepairSource source;
    source.bundle = recorded_bundle(*each);
    std::error_code ignored;
    const bool is_there =
        !source.bundle.empty() &&
        std::all_of(source.bundle.begin(), source.bundle.end(),
                    [&](const std::string& path) { return fs::exists(path, ignored); });
    if (!is_there) continue;
    const fs::path stack = host.resolve(concat(each->folder, "/", stack_copy));
    if (fs::exists(stack, ignored)) source.stack = stack.string();
    source.python = recorded_python(host, *each);
    return source;
  }
  throw Error(ErrorCode::usage, "no installed bundle lies where it lay when it was installed",
              "give it: topsctl repair BUNDLE");
}

}  // namespace topsctl

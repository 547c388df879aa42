// Reads the packages of an install from journals and reports.
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

namespace {

bool are_all_there(const std::vector<std::string>& paths) {
  std::error_code ignored;
  return !paths.empty() && std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return fs::exists(path, ignored);
  });
}

}  // namespace

std::vector<std::string> known_bundle(const Host& host) {
  std::vector<std::string> words;
  try {
    std::vector<Transaction> all = list_transactions(host);
    for (auto each = all.rbegin(); each != all.rend() && words.empty(); ++each) {
      if (!each->state() || each->kind() != TransactionKind::install) continue;
      const std::vector<std::string> paths = recorded_bundle(*each);
      if (!are_all_there(paths)) continue;
      for (const std::string& path : paths) words.push_back(typed_word(path));
    }
  } catch (const std::exception&) {
    words.clear();
  }
  return words;
}

RepairSource repair_source(const Host& host) {
  std::vector<Transaction> all = list_transactions(host);
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (each->state() != TransactionState::committed || each->kind() != TransactionKind::install)
      continue;
    RepairSource source;
    source.bundle = recorded_bundle(*each);
    if (!are_all_there(source.bundle)) continue;
    std::error_code ignored;
    const fs::path stack = host.resolve(concat(each->folder, "/", stack_copy));
    if (fs::exists(stack, ignored)) source.stack = stack.string();
    source.python = recorded_python(host, *each);
    return source;
  }
  throw Error(ErrorCode::usage, "no installed bundle lies where it lay when it was installed",
              "give it: `topsctl repair BUNDLE`");
}

}  // namespace topsctl

// Reads the packages of an install from journals and reports.
#include "topsctl/engine/operations/repair_source.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/facts/facts.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> recorded_bundle(const Transaction& transaction) {
  std::vector<std::string> paths;
  const Json& begun = transaction.records.front().details;
  if (!begun.is_object() || !begun.contains("bundle_at")) return paths;
  for (const Json& path : begun.at("bundle_at")) {
    if (path.is_string()) paths.push_back(path.get<std::string>());
  }
  return paths;
}

void add_digests(const Host& host, const Transaction& transaction, RecordedDigests& digests) {
  const Json::json_pointer place("/plan/packages");
  for (const Json& report : reports_of(host, transaction)) {
    if (!report.is_object() || !report.contains(place) || !report.at(place).is_array()) continue;
    for (const Json& package : report.at(place)) {
      if (!package.is_object()) continue;
      const auto text = [&](const char* key) {
        const auto found = package.find(key);
        return found != package.end() && found->is_string() ? found->get<std::string>()
                                                            : std::string();
      };
      if (!text("sha256").empty())
        digests.emplace(std::pair(text("name"), text("after")), text("sha256"));
    }
  }
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
  const bool has_installs = std::any_of(all.begin(), all.end(), [](const Transaction& each) {
    return each.state() == TransactionState::committed && each.kind() == TransactionKind::install;
  });
  if (!has_installs)
    throw Error(ErrorCode::host_unfit,
                "nothing to repair: topsctl has no install in effect on this host",
                "install a bundle: `topsctl install BUNDLE`");
  RepairSource source;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    if (each->state() != TransactionState::committed || each->kind() != TransactionKind::install)
      continue;
    add_digests(host, *each, source.digests);
    if (!source.bundle.empty()) continue;
    const std::vector<std::string> bundle = recorded_bundle(*each);
    if (!are_all_there(bundle)) continue;
    source.bundle = bundle;
    if (stack_of(*each).is_of_file)
      source.stack = host.resolve(concat(each->folder, "/", stack_copy)).string();
    source.python = recorded_python(host, *each);
  }
  if (!source.bundle.empty()) return source;
  throw Error(ErrorCode::usage, "no installed bundle lies where it lay when it was installed",
              "give it: `topsctl repair BUNDLE`");
}

void require_trusted(const Host& host, const RepairSource& source) {
  if (source.python.empty() || is_trusted_interpreter(host, source.python)) return;
  throw Error(
      ErrorCode::host_unfit,
      format("{} is writable by users other than root and was not run", in_quotes(source.python)),
      "if it may be run as root, name it: `topsctl repair --python EXE`");
}

void require_recorded(const RecordedDigests& digests, const std::vector<Package>& packages,
                      const std::function<bool(const Package&)>& is_changing) {
  for (const Package& package : packages) {
    if (!is_changing(package)) continue;
    const auto recorded = digests.find({package.name, package.version});
    if (recorded != digests.end() && recorded->second == package.sha256) continue;
    throw Error(ErrorCode::bad_bundle,
                format("{} is not the package that was installed: its sha256 is another",
                       in_quotes(package.path)),
                "copy the bundle again from its source, and give it: `topsctl repair BUNDLE`");
  }
}

}  // namespace topsctl

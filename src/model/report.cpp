// JSON form of reports.
#include "topsctl/model/report.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::committed:
      return "committed";
    case Outcome::rolled_back:
      return "rolled_back";
    case Outcome::rolled_back_with_differences:
      return "rolled_back_with_differences";
    case Outcome::rollback_incomplete:
      return "rollback_incomplete";
    case Outcome::unfinished:
      return "unfinished";
    case Outcome::no_change:
      return "no_change";
    case Outcome::planned:
      return "planned";
    case Outcome::failed_before_change:
      return "failed_before_change";
  }
  return "failed_before_change";
}

bool is_rolled_back(std::optional<Outcome> outcome) {
  return outcome == Outcome::rolled_back || outcome == Outcome::rolled_back_with_differences;
}

std::string_view name(StepStatus status) {
  switch (status) {
    case StepStatus::pending:
      return "pending";
    case StepStatus::done:
      return "done";
    case StepStatus::failed:
      return "failed";
  }
  return "pending";
}

namespace {

Json to_json(const std::optional<Error>& error) {
  return error ? topsctl::to_json(*error) : Json(nullptr);
}

Json to_json(const std::vector<PackageChange>& packages) {
  Json list = Json::array();
  for (const PackageChange& package : packages) {
    list.push_back({{"name", package.name},
                    {"kind", name(package.kind)},
                    {"before", package.before ? Json(*package.before) : Json(nullptr)},
                    {"after", package.after ? Json(*package.after) : Json(nullptr)},
                    {"purl", package.purl}});
  }
  return list;
}

Json to_json(const std::vector<StepResult>& steps) {
  Json list = Json::array();
  for (const StepResult& step : steps) {
    list.push_back({{"id", step.id},
                    {"action", step.action},
                    {"status", name(step.status)},
                    {"duration_ms", step.duration_ms},
                    {"detail", step.detail}});
  }
  return list;
}

Json to_json(const std::optional<RollbackProof>& comparison) {
  if (!comparison) return nullptr;
  return {{"paths_checked", comparison->paths_checked},
          {"paths_differing", comparison->differing.size()},
          {"differing", comparison->differing}};
}

Json to_json(const std::vector<LockReport>& locks) {
  Json list = Json::array();
  for (const LockReport& lock : locks) {
    list.push_back({{"path", lock.path},
                    {"holder", text_or_null(lock.holder)},
                    {"waited_ms", lock.waited_ms}});
  }
  return list;
}

Json to_json(const std::vector<Phase>& phases) {
  Json list = Json::array();
  for (const Phase& phase : phases) {
    list.push_back({{"name", phase.name},
                    {"started_at", phase.started_at},
                    {"duration_ms", phase.duration_ms}});
  }
  return list;
}

Json to_json(const std::vector<LogFile>& logs) {
  Json list = Json::array();
  for (const LogFile& log : logs) {
    list.push_back(
        {{"kind", log.kind}, {"path", log.path}, {"bytes", log.bytes}, {"sha256", log.sha256}});
  }
  return list;
}

Json to_json(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

}  // namespace

Json to_json(const Error& error) {
  return {{"code", name(error.code())},
          {"message", error.message()},
          {"context", error.context()},
          {"hint", text_or_null(error.hint())}};
}

Json to_json(const std::optional<GivenBundle>& bundle) {
  if (!bundle) return nullptr;
  return {{"paths", bundle->paths}, {"sha256", text_or_null(bundle->sha256)}};
}

namespace {

// Translates topsctl's whole sentences in it into the current language.
void translate_texts(Json& json) {
  if (used_language() == Language::english) return;
  if (json.is_string()) {
    const std::string text = json.get<std::string>();
    json = std::string(translated_text(text));
  }
  if (json.is_structured()) {
    for (Json& each : json) translate_texts(each);
  }
}

}  // namespace

Json document(const ReportHeader& header, const Json& body) {
  Json out = {{"schema", 1},
              {"command", header.command},
              {"topsctl_version", topsctl_version()},
              {"status", name(header.exit)},
              {"error", to_json(header.error)},
              {"warnings", header.warnings}};
  out.update(body);
  translate_texts(out);
  return out;
}

Json to_json(const std::vector<CheckResult>& checks) {
  Json list = Json::array();
  for (const CheckResult& check : checks) list.push_back(to_json(check));
  return list;
}

Json to_json(const std::vector<InputFile>& inputs) {
  Json list = Json::array();
  for (const InputFile& input : inputs) {
    list.push_back({{"kind", name(input.kind)},
                    {"file", input.file},
                    {"sha256", input.sha256},
                    {"created_at", text_or_null(input.created_at)},
                    {"signed_by", input.signed_by ? Json{{"key", input.signed_by->key},
                                                         {"comment", input.signed_by->comment}}
                                                  : Json(nullptr)}});
  }
  return list;
}

void end_as_before(TransactionReport& report, std::optional<Outcome> outcome, std::string message) {
  report.outcome = outcome;
  report.message = std::move(message);
  for (PackageChange& package : report.packages) package.after = package.before;
}

TransactionReport pending_report(const Plan& plan) {
  TransactionReport report;
  report.plan = plan;
  for (const Step& step : plan.steps) {
    report.steps.push_back({step.id, std::string(name(step.action)), StepStatus::pending, 0, ""});
  }
  for (const PlannedPackage& package : plan.packages) {
    report.packages.push_back(
        {package.name, package.kind, package.before, package.after,
         package_url(package.kind, package.name, package.after, package.architecture)});
  }
  return report;
}

Json to_json(const TransactionReport& report) {
  const WriteSetSummary& kept = report.write_set;
  return {{"host", text_or_null(report.origin.host)},
          {"user", text_or_null(report.origin.user)},
          {"started_at", text_or_null(report.origin.started_at)},
          {"bundle", topsctl::to_json(report.bundle)},
          {"transaction", report.transaction ? Json(*report.transaction) : Json(nullptr)},
          {"outcome", report.outcome ? Json(name(*report.outcome)) : Json(nullptr)},
          {"root", report.root},
          {"plan", report.plan ? to_json(*report.plan) : Json(nullptr)},
          {"phases", to_json(report.phases)},
          {"steps", to_json(report.steps)},
          {"checks", to_json(report.checks)},
          {"packages", to_json(report.packages)},
          {"write_set",
           {{"known", kept.known},
            {"reason", text_or_null(kept.reason)},
            {"paths", kept.paths},
            {"bytes", kept.bytes},
            {"linked", kept.linked},
            {"copied", kept.copied}}},
          {"rollback",
           report.rollback ? Json({{"verified", to_json(report.rollback)}}) : Json(nullptr)},
          {"compared", to_json(report.compared)},
          {"escaped_paths", report.escaped_paths},
          {"not_restored", report.not_restored},
          {"kept_of_others", report.kept_of_others},
          {"stops", report.stops},
          {"durability", {{"synced_mounts", report.synced_mounts}}},
          {"locks", to_json(report.locks)},
          {"inputs", topsctl::to_json(report.inputs)},
          {"log", text_or_null(report.log)},
          {"logs", to_json(report.logs)},
          {"confirm_until", to_json(report.confirm_until)},
          {"rebuilt", report.rebuilt},
          {"changed", report.changed},
          {"failed", report.failed},
          {"msg", report.message}};
}

Json to_json(const TransactionSummary& summary) {
  return {{"id", summary.id},
          {"kind", name(summary.kind)},
          {"host", text_or_null(summary.origin.host)},
          {"user", text_or_null(summary.origin.user)},
          {"started_at", text_or_null(summary.origin.started_at)},
          {"command", summary.command},
          {"bundle", to_json(summary.bundle)},
          {"outcome", summary.outcome},
          {"reason", text_or_null(summary.reason)},
          {"packages", to_json(summary.packages)},
          {"project", text_or_null(summary.project)},
          {"patched", summary.patched},
          {"kept_bytes", summary.kept_bytes},
          {"can_be_undone", summary.can_be_undone},
          {"confirm_until", to_json(summary.confirm_until)}};
}

namespace {

// Percent-encoding by the purl specification: all except letters, digits and . - _ ~ :
std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view(".-_~:").find(c) != std::string_view::npos;
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      encoded.push_back(c);
    } else {
      encoded += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return encoded;
}

}  // namespace

std::string package_url(PackageKind kind, const std::string& name, const std::string& version,
                        const std::string& architecture) {
  if (kind == PackageKind::wheel) {
    return concat("pkg:pypi/", percent_encoded(normalized_name(name)), "@",
                  percent_encoded(version));
  }
  return concat("pkg:deb/", percent_encoded(name), "@", percent_encoded(version),
                "?arch=", percent_encoded(architecture));
}

}  // namespace topsctl

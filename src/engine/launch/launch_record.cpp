// Converts records to JSON, and parses their summaries.
#include "topsctl/engine/launch/launch_record.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/launch/recorded_secrets.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_rank = 1'000'000;
constexpr std::int64_t most_pid = std::int64_t{1} << 22U;  // PID_MAX_LIMIT of the kernel
constexpr std::int64_t greatest_number = std::numeric_limits<std::int64_t>::max();

template <class Value>
Json value_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class Value>
Json list_of(const std::vector<Value>& values, Json (*form)(const Value&)) {
  Json list = Json::array();
  for (const Value& each : values) list.push_back(form(each));
  return list;
}

Json check_json(const BusyCheck& check) {
  return {{"at", check.at},
          {"cards_busy", value_or_null(check.cards_busy)},
          {"first_cause", text_or_null(check.first_cause)}};
}

Json rank_json(const RankRecord& rank) {
  return {{"host", text_or_null(rank.host)},
          {"rank", rank.rank},
          {"in_world", value_or_null(rank.in_world)},
          {"log", rank.log},
          {"lines", rank.lines},
          {"last_line", text_or_null(rank.last_line)},
          {"iteration", text_or_null(rank.iteration)},
          {"pid", value_or_null(rank.pid)},
          {"cards", rank.cards},
          {"status", value_or_null(rank.status)},
          {"backend", text_or_null(rank.backend)},
          {"iterations_per_second", value_or_null(rank.iterations_per_second)}};
}

Json host_json(const HostRecord& host) {
  return {{"target", host.target},
          {"name", host.name},
          {"address", host.address},
          {"run", host.run},
          {"log_folder", host.log_folder},
          {"logs", text_or_null(host.logs)},
          {"status", value_or_null(host.status)},
          {"problem", text_or_null(host.problem)}};
}

Json still_rank_json(const StillRank& rank) {
  return {{"rank", rank.rank},
          {"last_line", text_or_null(rank.last_line)},
          {"silent_ms", rank.silent_ms},
          {"iteration", text_or_null(rank.iteration)},
          {"state", text_or_null(rank.state)},
          {"kernel_stack", text_or_null(rank.kernel_stack)}};
}

Json stall_json(const Standstill& stall) {
  return {{"at", stall.at},
          {"after_ms", stall.after_ms},
          {"behind", value_or_null(stall.behind)},
          {"ranks", list_of(stall.ranks, still_rank_json)}};
}

Json attempt_json(const AttemptRecord& attempt) {
  const Json judged = to_json(attempt.judgement);
  return {{"started_at", attempt.started_at},
          {"ended_at", text_or_null(attempt.ended_at)},
          {"status", value_or_null(attempt.status)},
          {"master_port", attempt.master_port},
          {"resumed_from", text_or_null(attempt.resumed_from)},
          {"unfinished_checkpoints", attempt.unfinished_checkpoints},
          {"ranks", list_of(attempt.ranks, rank_json)},
          {"busy_check", attempt.busy_check ? check_json(*attempt.busy_check) : Json(nullptr)},
          {"host", to_json(attempt.host)},
          {"throughput", to_json(attempt.throughput)},
          {"bandwidth_gbps", value_or_null(attempt.bandwidth_gbps)},
          {"stalls", list_of(attempt.stalls, stall_json)},
          {"verdict", judged.at("verdict")},
          {"first_cause", judged.at("first_cause")},
          {"diagnoses", judged.at("diagnoses")},
          {"not_restarted", text_or_null(attempt.not_restarted)}};
}

std::string text_at(const JsonReader& reader, const std::string& key) {
  const JsonReader value = reader.at(key);
  return value.is_null() ? std::string() : value.text();
}

std::optional<std::int64_t> number_at(const JsonReader& reader, const std::string& key,
                                      std::int64_t most) {
  const JsonReader value = reader.at(key);
  if (value.is_null()) return std::nullopt;
  return value.integer(0, most);
}

// Records of older versions lack it.
std::optional<std::int64_t> number_if_there(const JsonReader& reader, const std::string& key,
                                            std::int64_t most) {
  return reader.find(key) ? number_at(reader, key, most) : std::nullopt;
}

}  // namespace

Json to_json(const LaunchRecord& record) {
  Json all = {{"schema", 1},
              {"run", record.run},
              {"request", to_json(record.request)},
              {"log_folder", record.log_folder},
              {"plan", to_json(record.plan)},
              {"directory", record.directory},
              {"environment", {{"set", record.added}, {"unset", record.removed}}},
              {"digests", record.digests},
              {"versions", record.versions},
              {"pid", record.pid},
              {"process_start", record.process_start},
              {"started_at", record.started_at},
              {"ended_at", text_or_null(record.ended_at)},
              {"status", value_or_null(record.status)},
              {"ended_by", value_or_null(record.ended_by)},
              {"attempts", list_of(record.attempts, attempt_json)},
              {"removed_checkpoints", record.removed_checkpoints},
              {"log_problem", text_or_null(record.log_problem)},
              {"hosts", list_of(record.hosts, host_json)}};
  leave_out_secrets(all);
  return all;
}

bool is_run_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == 'T' || c == 'Z';
  });
}

RecordSummary record_summary_in(std::string_view text, const std::string& source) {
  const Json document = parse_json(text, source);
  const JsonReader record(document, source);
  RecordSummary summary;
  summary.run = record.at("run").text();
  if (!is_run_name(summary.run)) record.at("run").reject("invalid run name");
  summary.request = launch_request_in(record.at("request"));
  summary.log_folder = record.at("log_folder").text();
  summary.directory = record.at("directory").text();
  const JsonReader digests = record.at("digests");
  for (const std::string& path : digests.keys()) summary.digests[path] = digests.at(path).text();
  summary.pid = record.at("pid").integer(1, most_pid);
  summary.process_start = record.at("process_start").text();
  summary.started_at = record.at("started_at").text();
  summary.ended_at = text_at(record, "ended_at");
  if (const auto status = number_at(record, "status", 255)) summary.status = *status;
  if (const auto hosts = record.find("hosts")) summary.hosts = hosts->items().size();
  if (const auto number = number_at(record, "ended_by", 255)) summary.ended_by = *number;
  const std::vector<JsonReader> attempts = record.at("attempts").items();
  summary.attempts = attempts.size();
  if (attempts.empty()) return summary;
  summary.first_cause = text_at(attempts.back(), "first_cause");
  if (const auto throughput = attempts.back().find("throughput"))
    summary.global_batch = number_at(*throughput, "global_batch", greatest_number);
  for (const JsonReader& each : attempts.back().at("ranks").items()) {
    summary.ranks.push_back(
        {each.find("host") ? text_at(each, "host") : std::string(),
         each.at("rank").integer(0, most_rank), number_if_there(each, "in_world", most_rank),
         each.at("log").text(),
         static_cast<std::uint64_t>(each.at("lines").integer(0, greatest_number)),
         number_at(each, "pid", most_pid), text_at(each, "last_line"), text_at(each, "iteration")});
  }
  return summary;
}

}  // namespace topsctl

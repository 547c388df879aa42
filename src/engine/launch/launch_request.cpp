// A launch as JSON, both ways.
#include "topsctl/engine/launch/launch_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

namespace {

constexpr double ms_per_minute = 60'000.0;
constexpr double most_minutes = 60.0 * 24 * 365;

void read_text_at(const JsonReader& job, const char* key, std::string& to) {
  if (const auto value = job.find(key); value && !value->is_null()) to = value->text();
}

void read_number_at(const JsonReader& job, const char* key, std::int64_t most, std::int64_t& to) {
  if (const auto value = job.find(key); value && !value->is_null()) to = value->integer(0, most);
}

void read_choice_at(const JsonReader& job, const char* key, const std::vector<std::string>& choices,
                    std::string& to) {
  if (const auto value = job.find(key)) to = value->text_of(choices);
}

Json count_or_null(std::int64_t number) {
  return number == 0 ? Json(nullptr) : Json(number);
}

}  // namespace

std::string_view name(OnStall what) {
  return on_stall_names().at(static_cast<std::size_t>(what));
}

const std::vector<std::string>& on_stall_names() {
  static const std::vector<std::string> names = {"report", "stop", "restart"};
  return names;
}

std::optional<OnStall> on_stall_named(std::string_view name) {
  const std::vector<std::string>& names = on_stall_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<OnStall>(found - names.begin());
}

std::int64_t stall_ms(const LaunchRequest& request) {
  const std::string& text = request.stall_minutes;
  double minutes = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), minutes);
  const bool is_number = failure == std::errc() && end == text.data() + text.size();
  if (!is_number || !std::isfinite(minutes) || minutes < 0 || minutes > most_minutes)
    throw Error(ErrorCode::usage, format("invalid number of minutes: {}", in_quotes(text)),
                "give a number such as 15 or 0.5; 0 turns standstill detection off");
  return static_cast<std::int64_t>(minutes * ms_per_minute);
}

Json to_json(const LaunchRequest& request) {
  const RestartRules& restart = request.restart;
  Json json = {{"words", request.words},
               {"nproc", count_or_null(request.ranks)},
               {"cards", text_or_null(request.cards)},
               {"stack", text_or_null(request.stack)},
               {"python", text_or_null(request.python)},
               {"preflight", request.level},
               {"accept", request.accepted},
               {"profile", text_or_null(request.settings.profile)},
               {"set", request.settings.set},
               {"unset", request.settings.unset},
               {"forget_settings", request.settings.forget},
               {"library", text_or_null(request.settings.library)},
               {"log_dir", text_or_null(request.log_folder)},
               {"master_port", count_or_null(request.master_port)},
               {"max_restarts", restart.most},
               {"restart_if", restart.causes},
               {"restart_delay", count_or_null(restart.delay_s)},
               {"checkpoints", text_or_null(restart.checkpoints)},
               {"resume", text_or_null(restart.resume)},
               {"keep", count_or_null(restart.keep)},
               {"stall_minutes", request.stall_minutes},
               {"on_stall", request.on_stall},
               {"shim", request.shim},
               {"place", request.place ? to_json(*request.place) : Json(nullptr)}};
  if (!request.measurement.empty()) json["measurement"] = request.measurement;
  return json;
}

LaunchRequest launch_request_in(const JsonReader& job) {
  job.expect_keys(
      {"schema",    "words",         "nproc",        "cards",      "stack",       "python",
       "preflight", "accept",        "profile",      "set",        "unset",       "forget_settings",
       "log_dir",   "master_port",   "max_restarts", "restart_if", "checkpoints", "resume",
       "keep",      "stall_minutes", "on_stall",     "shim",       "place",       "restart_delay",
       "cluster",   "library",       "measurement"});
  LaunchRequest request;
  for (const JsonReader& word : job.at("words").items()) request.words.push_back(word.any_text());
  read_text_at(job, "measurement", request.measurement);
  if (request.words.empty() && request.measurement.empty())
    job.at("words").reject("a script is missing");
  read_number_at(job, "nproc", most_ranks, request.ranks);
  read_text_at(job, "cards", request.cards);
  read_text_at(job, "stack", request.stack);
  read_text_at(job, "python", request.python);
  std::vector<std::string> levels = level_names();
  levels.emplace_back(no_preflight);
  read_choice_at(job, "preflight", levels, request.level);
  request.accepted = job.texts_at("accept");
  read_text_at(job, "profile", request.settings.profile);
  request.settings.set = job.texts_at("set");
  request.settings.unset = job.texts_at("unset");
  request.settings.forget = job.flag_at("forget_settings");
  read_text_at(job, "library", request.settings.library);
  read_text_at(job, "log_dir", request.log_folder);
  read_number_at(job, "master_port", most_port, request.master_port);
  RestartRules& restart = request.restart;
  read_number_at(job, "max_restarts", most_restarts, restart.most);
  restart.causes = job.texts_at("restart_if");
  read_number_at(job, "restart_delay", most_restart_delay_s, restart.delay_s);
  read_text_at(job, "checkpoints", restart.checkpoints);
  read_text_at(job, "resume", restart.resume);
  read_number_at(job, "keep", most_restarts, restart.keep);
  read_text_at(job, "stall_minutes", request.stall_minutes);
  read_choice_at(job, "on_stall", on_stall_names(), request.on_stall);
  read_choice_at(job, "shim", shim_choices(), request.shim);
  if (const auto place = job.find("place"); place && !place->is_null())
    request.place = node_place_in(*place);
  return request;
}

}  // namespace topsctl

// Writes a diagnosis as JSON.
#include "topsctl/engine/diagnosis/doctor_report.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/diagnosis/line_form.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json time_or_null(const std::optional<std::int64_t>& time_ms) {
  if (!time_ms) return nullptr;
  return timestamp(std::chrono::system_clock::time_point(std::chrono::milliseconds(*time_ms)));
}

template <class Value, class Function>
Json list_of(const std::vector<Value>& values, const Function& to) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(to(value));
  return list;
}

Json diagnosis_json(const Judged& judged) {
  Json json = to_json(judged.finding);
  json["rank"] = number_or_null(judged.rank);
  json["time"] = time_or_null(judged.time_ms);
  json["explained_by"] = text_or_null(judged.explained_by);
  return json;
}

Json record_json(const Diagnosis& diagnosis, Language language) {
  Json json = to_json(finding_in(diagnosis, language));
  json.erase("subject");
  json.erase("evidence");
  json["explains"] = diagnosis.explains;
  json["is_effect"] = diagnosis.is_effect;
  json["is_last_resort"] = diagnosis.is_last_resort;
  json["restart_helps"] = diagnosis.restart_helps;
  json["refs"] = diagnosis.refs;
  json["examples"] = diagnosis.example_match;
  return json;
}

Json card_json(const CardReading& card) {
  return {{"index", card.index},
          {"model", text_or_null(card.model)},
          {"state", text_or_null(card.state)},
          {"temperature_c", number_or_null(card.temperature_c)},
          {"power_w", number_or_null(card.power_w)},
          {"power_cap_w", number_or_null(card.power_cap_w)},
          {"memory_total_bytes", number_or_null(card.memory_total_bytes)},
          {"memory_used_bytes", number_or_null(card.memory_used_bytes)},
          {"utilization_percent", number_or_null(card.utilization_percent)}};
}

Json process_json(const JobProcess& process) {
  return {{"pid", process.pid},
          {"command", process.command},
          {"program", text_or_null(process.program)},
          {"state", text_or_null(process.state)},
          {"rank", number_or_null(process.rank)},
          {"local_rank", number_or_null(process.local_rank)},
          {"world_size", number_or_null(process.world_size)},
          {"has_launcher", process.has_launcher},
          {"cards", process.cards},
          {"cpu_ms", process.cpu_ms}};
}

Json machine_json(const MachineFacts& machine) {
  const MachineState& state = machine.state;
  Json signals = Json::object();
  for (const auto& [name, value] : signals_of(state)) signals[name] = value;
  return {
      {"cards", state.cards ? list_of(state.cards->cards, card_json) : Json(nullptr)},
      {"processes", list_of(state.processes, process_json)},
      {"signals", std::move(signals)},
      {"checks", list_of(machine.checks, [](const CheckResult& each) { return to_json(each); })}};
}

Json patch_json(const std::optional<SourcePatch>& patch) {
  if (!patch) return nullptr;
  const std::string& diff = patch->diff;
  return {{"files", patch->files},
          {"diff", is_utf8(diff) ? diff : printable(diff, Lines::keep)},
          {"transaction", number_or_null(patch->transaction)},
          {"outcome", patch->outcome ? Json(name(*patch->outcome)) : Json(nullptr)}};
}

Json place_json(const ProjectPlace& place) {
  return {{"id", place.id},     {"handling", name(place.handling)}, {"path", printable(place.path)},
          {"line", place.line}, {"text", printable(place.text)},    {"changed", place.is_applied}};
}

Json failure_json(const FirstFailure& failure) {
  return {{"source", failure.place.source},
          {"line", failure.place.line},
          {"rank", number_or_null(failure.place.rank)},
          {"time", time_or_null(failure.place.time_ms)},
          {"exception", text_or_null(failure.exception)},
          {"frame", failure.file.empty() ? Json(nullptr)
                                         : Json{{"file", failure.file},
                                                {"line", failure.line},
                                                {"function", text_or_null(failure.function)}}},
          {"text", failure.text}};
}

}  // namespace

FirstFailure first_failure(const Traceback& traceback) {
  FirstFailure failure;
  failure.place = traceback.place;
  failure.text = traceback.text;
  failure.exception = exception_of(traceback.text);
  if (const auto frame = last_own_frame(traceback.text)) {
    failure.file = frame->file;
    failure.line = frame->line;
    failure.function = frame->function;
  }
  return failure;
}

SourcePatch patch_of(const ProjectReading& reading) {
  SourcePatch patch{{}, reading.diff, std::nullopt, std::nullopt};
  for (const ChangedSource& change : reading.changes) patch.files.push_back(change.path);
  return patch;
}

Json to_json(const DoctorReport& report) {
  const Judgement judgement = report.judgement.value_or(Judgement());
  return {
      {"verdict", report.judgement ? Json(name(judgement.verdict)) : Json(nullptr)},
      {"failed", report.sources.empty() ? Json(nullptr) : Json(judgement.has_failed)},
      {"first_cause", text_or_null(judgement.first_cause)},
      {"diagnoses", list_of(judgement.diagnoses, diagnosis_json)},
      {"unexplained",
       judgement.unexplained ? failure_json(first_failure(*judgement.unexplained)) : Json(nullptr)},
      {"ranks", list_of(judgement.ranks,
                        [](const RankState& rank) -> Json {
                          return {{"rank", rank.rank},
                                  {"source", text_or_null(rank.source)},
                                  {"status", number_or_null(rank.status)},
                                  {"last_words", text_or_null(rank.last_words)}};
                        })},
      {"sources", list_of(report.sources,
                          [](const LogSource& source) -> Json {
                            return {{"path", source.path},
                                    {"bytes", source.bytes},
                                    {"rank", number_or_null(source.rank)},
                                    {"problem", text_or_null(source.problem)}};
                          })},
      {"machine", report.machine ? machine_json(*report.machine) : Json(nullptr)},
      {"places", list_of(report.places, place_json)},
      {"patch", patch_json(report.patch)},
      {"catalogue", list_of(report.catalogue, [&](const Diagnosis* each) {
         return record_json(*each, report.language);
       })}};
}

Json to_json(const std::optional<Judgement>& judgement) {
  if (!judgement) return {{"verdict", nullptr}, {"first_cause", nullptr}, {"diagnoses", nullptr}};
  DoctorReport report;
  report.judgement = judgement;
  return {{"verdict", name(judgement->verdict)},
          {"first_cause", text_or_null(judgement->first_cause)},
          {"diagnoses", to_json(report).at("diagnoses")}};
}

}  // namespace topsctl

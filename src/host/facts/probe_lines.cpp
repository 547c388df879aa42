// Parses the output of a backend probe, line by line.
#include "topsctl/host/facts/probe_lines.hpp"

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_steps = 1024;

std::string text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

std::int64_t number_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

double real_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>() : 0;
}

bool flag_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_boolean() && found->get<bool>();
}

void fill(ProbeStep& step, const Json& line) {
  step.error = text_of(line, "error");
  step.duration_ms = number_of(line, "ms");
  step.version = text_of(line, "version");
  step.file = text_of(line, "file");
  step.api = text_of(line, "api");
  step.count = number_of(line, step.name == "library" || step.name == "loaded" ? "code" : "count");
  step.backend = text_of(line, "backend");
  step.library = text_of(line, "library");
  step.is_right = flag_of(line, step.name == "devices" ? "available" : "right");
  step.total = real_of(line, "total");
  step.expected = real_of(line, "expected");
  step.status = number_of(line, "status");
}

std::vector<ProbeStep> ranks_of(const Json& line) {
  std::vector<ProbeStep> ranks;
  const auto answers = line.find("answers");
  if (answers == line.end() || !answers->is_array()) return ranks;
  for (const Json& answer : *answers) {
    if (!answer.is_object() || ranks.size() == most_steps) continue;
    ProbeStep rank;
    rank.name = "rank";
    fill(rank, answer);
    rank.card = number_of(answer, "rank");
    rank.state = flag_of(answer, "ok") ? ProbeState::done : ProbeState::failed;
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

ProbeStep begun(const Json& line) {
  ProbeStep step;
  step.name = text_of(line, "step");
  const auto arguments = line.find("arguments");
  if (arguments != line.end() && arguments->is_array() && !arguments->empty() &&
      arguments->front().is_number_integer()) {
    step.card = arguments->front().get<std::int64_t>();
  }
  return step;
}

}  // namespace

std::vector<ProbeStep> parse_probe_lines(std::string_view text, std::string_view token) {
  std::vector<ProbeStep> steps;
  const std::string mark = concat(token, " ");
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(mark)) continue;
    const Json said = json_or_null(line.substr(mark.size()));
    if (!said.is_object()) continue;
    const std::string state = text_of(said, "state");
    if (state == "begin") {
      if (steps.size() < most_steps) steps.push_back(begun(said));
    } else if (!steps.empty() && steps.back().name == text_of(said, "step")) {
      ProbeStep& step = steps.back();
      step.state = state == "done"      ? ProbeState::done
                   : state == "missing" ? ProbeState::missing
                                        : ProbeState::failed;
      fill(step, said);
      step.ranks = ranks_of(said);
    }
  }
  return steps;
}

}  // namespace topsctl

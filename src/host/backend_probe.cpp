// Runs the probe of a backend and reads what it tells, line by line.
#include "topsctl/host/backend_probe.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/random.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

constexpr const char* probe_file = "probes/backend.py";
constexpr std::size_t most_steps = 1024;
constexpr std::size_t shown_lines = 4;

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
  step.count = number_of(line, step.name == "library" ? "code" : "count");
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

Json asked_for(const BackendRequest& request, const std::string& token, std::string_view source) {
  const bool starts_ranks =
      std::find(request.steps.begin(), request.steps.end(), "ranks") != request.steps.end();
  return {{"token", token},
          {"steps", request.steps},
          {"module", request.backend.module},
          {"backend", request.backend.name},
          {"library", request.backend.library},
          {"function", request.backend.version_function},
          {"cards", request.cards},
          {"ranks", request.ranks},
          {"source", starts_ranks ? std::string(source) : std::string()}};
}

}  // namespace

const ProbeStep* BackendTrial::step(std::string_view name) const {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [&](const ProbeStep& step) { return step.name == name; });
  return found == steps.end() ? nullptr : &*found;
}

std::vector<ProbeStep> parse_probe_lines(std::string_view text, std::string_view token) {
  std::vector<ProbeStep> steps;
  const std::string mark = concat(token, " ");
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with(mark)) continue;
    const Json said = Json::parse(line.substr(mark.size()), nullptr, false);
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

BackendTrial try_backend(const Host& host, const BackendRequest& request) {
  const auto source = embedded_file(probe_file);
  if (!source) throw Error(ErrorCode::internal, concat("no probe ", in_quotes(probe_file)));
  const std::string token = hex_text(random_bytes(8));
  // -I: neither the environment nor the user's own packages; -B: no byte code is written.
  Command command = host.command({request.python, "-I", "-B", "-c", std::string(*source),
                                  asked_for(request, token, *source).dump()},
                                 request.timeout_ms);
  for (const auto& [name, value] : request.environment) command.environment[name] = value;
  // All ranks are on this machine, whose own name may lead anywhere.
  command.environment["GLOO_SOCKET_IFNAME"] = "lo";
  const RunResult result = host.runner->run(command);
  BackendTrial trial{parse_probe_lines(result.report, token), {}, {}};
  trial.output = printable(last_lines(result.output, shown_lines));
  const bool is_whole = !trial.steps.empty() && trial.steps.back().state != ProbeState::cut_off;
  if (!is_whole) trial.ending = result.ending();
  return trial;
}

}  // namespace topsctl

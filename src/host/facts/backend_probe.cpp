// Runs the probe of a backend and reads its output, line by line.
#include "topsctl/host/facts/backend_probe.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/random.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

constexpr const char* probe_file = "probes/backend.py";
constexpr std::size_t shown_lines = 4;
constexpr std::size_t kept_lines = 100;

Json asked_for(const BackendRequest& request, const std::string& token, std::string_view source) {
  const bool starts_ranks =
      std::find(request.steps.begin(), request.steps.end(), "ranks") != request.steps.end();
  return {{"token", token},
          {"steps", request.steps},
          {"module", request.backend.module},
          {"backend", request.backend.name},
          {"library", request.backend.library},
          {"function", request.backend.version_function},
          {"device", request.backend.device},
          {"marker", request.marker},
          {"accepted", request.accepted},
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

BackendTrial try_backend(const Host& host, const BackendRequest& request) {
  const auto source = embedded_file(probe_file);
  if (!source)
    throw Error(ErrorCode::internal, format("probe {} is missing", in_quotes(probe_file)));
  const std::string token = hex_text(random_bytes(8));
  // -I: neither the environment nor the user's own packages; -B: no byte code is written.
  Command command = host.command({request.python, "-I", "-B", "-c", std::string(*source),
                                  to_line(asked_for(request, token, *source))},
                                 request.timeout_ms);
  for (const auto& [name, value] : request.environment) command.environment[name] = value;
  // All ranks are on this host, whose name may resolve to any address.
  command.environment["GLOO_SOCKET_IFNAME"] = "lo";
  const RunResult result = host.runner->run(command);
  BackendTrial trial;
  trial.steps = parse_probe_lines(result.report, token);
  trial.output = printable(last_lines(result.output, shown_lines));
  trial.whole_output = printable(last_lines(result.output, kept_lines), Lines::keep);
  const bool is_whole = !trial.steps.empty() && trial.steps.back().state != ProbeState::cut_off;
  if (!is_whole) trial.ending = result.ending();
  trial.timed_out = result.timed_out;
  return trial;
}

}  // namespace topsctl

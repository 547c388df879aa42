// Checks of the backend by trying it: only the library, the import, a group of one, a group of all
// cards.
#include "engine/checks/backend_checks.hpp"

#include <algorithm>
#include <filesystem>

#include "engine/checks/check_outcomes.hpp"
#include "engine/checks/device_checks.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/compatibility/loader_paths.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace {

std::string import_hint(const std::string& error) {
  if (error.find("cannot open shared object file") != std::string::npos)
    return "a library is missing: install the package that provides it, or run `ldconfig`";
  if (error.find("undefined symbol") != std::string::npos)
    return "the module is built for another torch: install the matching torch";
  return {};
}

bool lacks_libuv(const std::string& text) {
  return text.find("without libuv") != std::string::npos;
}

}  // namespace

void BackendChecks::tell_cut_off(const BackendTrial& trial, const std::string& doing,
                                 CheckResult& result) const {
  result.output = trial.whole_output;
  fail(result,
       with_output(format("the process was terminated {}: {}", doing, signal_name(trial.ending)),
                   trial.output),
       trial.timed_out
           ? format("check the cards: {}; a slow host may need --timeout", machine_.card_tools())
           : "a card, the driver or a library is defective or from another release: check `dmesg`");
}

const ProbeStep* BackendChecks::ended_step(const BackendTrial& trial, std::string_view name,
                                           const std::string& doing, CheckResult& result) const {
  const ProbeStep* step = trial.step(name);
  if (step == nullptr) {
    skip(result, "not run: an earlier step failed");
    return nullptr;
  }
  result.duration_ms = step->duration_ms;
  // Output besides an answer is noise.
  if (step->state == ProbeState::failed) result.output = trial.whole_output;
  if (step->state != ProbeState::cut_off) return step;
  tell_cut_off(trial, doing, result);
  return nullptr;
}

std::string BackendChecks::release_hint() const {
  return format("install {} from one release, with the torch that they were built for",
                machine_.packages());
}

std::string BackendChecks::group_hint(const std::string& error) const {
  if (lacks_libuv(error)) {
    return "this torch is built without libuv but uses it by default: `topsctl install BUNDLE "
           "--set USE_LIBUV=0`";
  }
  if (error.find("nvalid backend") == std::string::npos) return release_hint();
  return format("the module does not provide {}: {}", machine_.stack.backend.name, release_hint());
}

std::string BackendChecks::api() const {
  const ProbeStep* devices = climb_ ? climb_->step("devices") : nullptr;
  return devices == nullptr ? "" : devices->api;
}

std::string BackendChecks::path_of(const std::string& library) const {
  for (const auto& [name, deb] : machine_.facts.debs) {
    for (const std::string& file : deb.files) {
      if (is_installed(deb.status) && name_part(file) == library) return file;
    }
  }
  return {};
}

const BackendTrial& BackendChecks::backend_trial() {
  if (climb_) return *climb_;
  BackendRequest request;
  request.python = machine_.python->executable;
  request.backend = machine_.stack.backend;
  request.cards = machine_.cards();
  request.environment = machine_.variables();
  request.timeout_ms = machine_.options.timeout_ms;
  request.steps = {"torch", "module"};
  for (const CheckRule& rule : machine_.stack.checks) {
    if (rule.kind != CheckKind::loaded_library) continue;
    request.steps.emplace_back("loaded");
    request.marker = rule.marker;
    break;
  }
  if (machine_.options.highest >= CheckLevel::device) request.steps.emplace_back("devices");
  // Without device nodes, these steps could only fail.
  if (machine_.options.highest >= CheckLevel::single && has_every_node(machine_))
    request.steps.insert(request.steps.end(), {"cards", "own", "stock"});
  climb_ = try_backend(machine_.host, request);
  return *climb_;
}

void BackendChecks::judge(const CheckRule& rule, CheckResult& result) {
  if (machine_.python == nullptr && rule.kind == CheckKind::library_call)
    return skip(result, "no Python interpreter to load it");
  if (machine_.python == nullptr && rule.kind != CheckKind::perf_tool) {
    return fail(result, "no Python interpreter",
                "install Python, or give an interpreter with --python");
  }
  switch (rule.kind) {
    case CheckKind::library_call:
      return judge_call(rule, result);
    case CheckKind::python_import:
      return judge_import(rule, result);
    case CheckKind::loaded_library:
      return judge_loaded(result);
    case CheckKind::device_count:
      return judge_count(result);
    case CheckKind::card_arithmetic:
      return judge_arithmetic(result);
    case CheckKind::process_group:
      return judge_group(result);
    case CheckKind::torch_distributed:
      return judge_stock(result);
    case CheckKind::ranks:
      return judge_ranks(result);
    case CheckKind::perf_tool:
      return judge_perf(rule, result);
    default:
      throw Error(ErrorCode::internal, format("not a backend check: {}", name(rule.kind)));
  }
}

void BackendChecks::judge_call(const CheckRule& rule, CheckResult& result) {
  BackendRules backend = machine_.stack.backend;
  if (!rule.file.empty()) {
    backend.library = rule.file;
    backend.version_function = rule.symbols.front();
  }
  result.expected = format("{} of {} responds", backend.version_function, backend.library);
  BackendRequest request;
  request.python = machine_.python->executable;
  request.backend = backend;
  request.environment = machine_.variables();
  request.timeout_ms = machine_.options.timeout_ms;
  request.steps = {"library"};
  request.accepted = rule.accepted;
  const BackendTrial trial = try_backend(machine_.host, request);
  const ProbeStep* step =
      ended_step(trial, "library", format("while loading {}", backend.library), result);
  if (step == nullptr) {
    if (result.status == CheckStatus::skipped) tell_cut_off(trial, "before it started", result);
    return;
  }
  if (step->state != ProbeState::done) return fail(result, step->error, import_hint(step->error));
  const std::string objection = objection_to_library(*step, backend.library);
  if (!objection.empty())
    return fail(result, objection,
                "remove the other file, or remove its directory from the search path");
  pass(result, step->count == 0 && !rule.accepted.empty()
                   ? format("{} responds that no driver or card is here, from {}",
                            backend.version_function, step->library)
                   : format("{} returns {}, from {}", backend.version_function, step->count,
                            step->library));
}

void BackendChecks::judge_import(const CheckRule& rule, CheckResult& result) {
  result.expected = format("`import {}` works", rule.module);
  const std::string& python = machine_.python->executable;
  BackendTrial other;
  const bool is_of_backend = rule.module == machine_.stack.backend.module;
  if (!is_of_backend) {
    BackendRequest request;
    request.python = python;
    request.backend.module = rule.module;
    request.environment = machine_.variables();
    request.timeout_ms = machine_.options.timeout_ms;
    request.steps = {"module"};
    other = try_backend(machine_.host, request);
  }
  const BackendTrial& trial = is_of_backend ? backend_trial() : other;
  const ProbeStep* torch = trial.step("torch");
  if (torch != nullptr && torch->state == ProbeState::failed) {
    result.output = trial.whole_output;
    return fail(result, format("import torch: {}", torch->error), import_hint(torch->error));
  }
  const std::string doing = format("while importing {}", rule.module);
  const ProbeStep* step = ended_step(trial, "module", doing, result);
  if (step == nullptr) {
    if (result.status == CheckStatus::skipped) tell_cut_off(trial, "before this step", result);
    return;
  }
  if (step->state != ProbeState::done) return fail(result, step->error, import_hint(step->error));
  pass(result,
       format("{} {} from {}, imported by {}{}", rule.module, step->version, step->file, python,
              torch == nullptr ? std::string() : format(", torch {}", torch->version)));
  if (torch != nullptr) result.duration_ms += torch->duration_ms;
}

// A torch with its own copy of the library loads that one, regardless of the installed one.
void BackendChecks::judge_loaded(CheckResult& result) {
  const BackendRules& backend = machine_.stack.backend;
  result.expected = format("torch loads the stack's {}", backend.library);
  const ProbeStep* step = ended_step(backend_trial(), "loaded",
                                     format("while looking for {}", backend.library), result);
  if (step == nullptr && result.status == CheckStatus::skipped)
    leave_unknown(result, format("{} has no torch to load it", machine_.python->executable),
                  "install torch for it, or name another interpreter with --python");
  if (step == nullptr) return;
  if (step->state != ProbeState::done)
    return fail(result, step->error,
                "this torch is built without it: install another build of torch");
  const std::string observed = format("{}, version {}", step->library, step->count);
  const std::string objection = objection_to(*step);
  if (!objection.empty() || !step->is_right)
    return fail(result,
                objection.empty() ? format("{} is not the stack's: {}", backend.library, observed)
                                  : format("{} (version {})", objection, step->count),
                "torch finds another copy first: its own (pip list), or one in a search path; put "
                "the stack's directory first in LD_LIBRARY_PATH, or use a torch that ships none");
  pass(result, observed);
}

void BackendChecks::judge_count(CheckResult& result) {
  result.expected = format("{} counts {}", machine_.stack.backend.module, machine_.cards());
  const ProbeStep* step =
      ended_step(backend_trial(), "devices", "while counting the cards", result);
  if (step == nullptr) return;
  if (step->state != ProbeState::done) return fail(result, step->error, release_hint());
  const std::string observed =
      format("{}, API of {}",
             counted(static_cast<std::size_t>(std::max<std::int64_t>(step->count, 0)), "card"),
             step->api.empty() ? "an unknown generation" : step->api);
  if (step->count >= machine_.cards() && step->is_right) return pass(result, observed);
  fail(result, observed, "the runtime sees fewer cards than the host has: check `dmesg`");
}

void BackendChecks::judge_arithmetic(CheckResult& result) {
  result.expected = "each card returns a known sum";
  std::size_t right = 0;
  for (const ProbeStep& step : backend_trial().steps) {
    if (step.name != "card") continue;
    const std::string card = format("card {}", step.card);
    result.duration_ms += step.duration_ms;
    if (step.state == ProbeState::cut_off)
      return tell_cut_off(backend_trial(), format("on {}", card), result);
    if (step.state != ProbeState::done)
      return fail(result, concat(card, ": ", step.error),
                  format("check this card: {}", machine_.card_tools()));
    if (!step.is_right) {
      return fail(
          result,
          format("{} computes {}, expected {}", card, number_text(step.total),
                 number_text(step.expected)),
          "this card is defective or its runtime is from another release: take it out of use");
    }
    ++right;
  }
  if (right == 0) return skip(result, "not run: an earlier step failed");
  pass(result, format("{} with the correct sum", counted(right, "card")));
}

std::string BackendChecks::objection_to(const ProbeStep& group) const {
  const BackendRules& backend = machine_.stack.backend;
  if (group.name != "library" && group.name != "loaded") {
    if (group.backend != backend.name) {
      return format("requested a '{}' process group, got {}", backend.name,
                    in_quotes(group.backend));
    }
    if (!group.is_right)
      return format("the sum is {}, expected {}", number_text(group.total),
                    number_text(group.expected));
  }
  return objection_to_library(group, backend.library);
}

std::string BackendChecks::objection_to_library(const ProbeStep& step,
                                                const std::string& library) const {
  if (step.library.empty()) return format("{} is not loaded: another library was used", library);
  const std::string owned = path_of(library);
  if (owned.empty()) return format("no package owns {}", library);
  const std::string right = canonical_in_root(machine_.host.root, owned, LastLink::follow);
  if (step.library != right && step.library != library)
    return format("{} was loaded, but no package of the stack owns it; the stack's is {}",
                  step.library, right);
  return {};
}

void BackendChecks::judge_group(CheckResult& result) {
  const BackendRules& backend = machine_.stack.backend;
  result.expected = format("a process group of '{}' with one process", backend.name);
  std::string way = concat(backend.module, ".distributed");
  const ProbeStep* step = ended_step(backend_trial(), "own", format("in {}", way), result);
  if (step == nullptr) return;
  if (step->state == ProbeState::missing) {
    const std::string without = step->error;
    way = "torch.distributed";
    step = ended_step(backend_trial(), "stock", format("in {}", way), result);
    if (step == nullptr) return;
    if (step->state == ProbeState::missing) {
      return fail(result, concat(without, "; ", step->error), release_hint());
    }
  }
  if (step->state != ProbeState::done)
    return fail(result, concat(way, ": ", step->error), group_hint(step->error));
  const std::string objection = objection_to(*step);
  if (!objection.empty()) {
    return fail(result, concat(way, ": ", objection),
                format("gloo is not {}: {}", backend.name, release_hint()));
  }
  pass(result, format("through {}, {}", way, step->library));
}

void BackendChecks::judge_stock(CheckResult& result) {
  const BackendRules& backend = machine_.stack.backend;
  result.expected = format("whether torch.distributed itself offers '{}'", backend.name);
  const ProbeStep* step = ended_step(backend_trial(), "stock", "in torch.distributed", result);
  if (step == nullptr) return;
  if (step->state == ProbeState::missing) {
    skip(result, format("{}: this generation provides it through {}.distributed", step->error,
                        backend.module));
    result.hint = format("in programs, use: import {}.distributed as dist", backend.module);
    return;
  }
  if (step->state != ProbeState::done) return fail(result, step->error, group_hint(step->error));
  const std::string objection = objection_to(*step);
  if (!objection.empty()) return fail(result, objection, release_hint());
  pass(result, format("available, {}", step->library));
}

void BackendChecks::judge_ranks(CheckResult& result) {
  const std::int64_t ranks = machine_.options.ranks > 0 ? machine_.options.ranks : machine_.cards();
  result.expected = format("all_reduce of {} processes, started by torchrun", ranks);
  BackendRequest request;
  request.python = machine_.python->executable;
  request.backend = machine_.stack.backend;
  request.ranks = ranks;
  request.environment = machine_.variables();
  request.timeout_ms = machine_.options.timeout_ms;
  request.steps = {"ranks"};
  const BackendTrial trial = try_backend(machine_.host, request);
  const ProbeStep* step = ended_step(trial, "ranks", "while running its ranks", result);
  if (step == nullptr) {
    if (result.status == CheckStatus::skipped) tell_cut_off(trial, "before it started", result);
    return;
  }
  if (step->state != ProbeState::done) return fail(result, step->error, release_hint());
  for (const ProbeStep& rank : step->ranks) {
    const std::string objection = rank.state == ProbeState::done ? objection_to(rank) : rank.error;
    if (!objection.empty())
      return fail(
          result, format("rank {}: {}", rank.card, objection),
          format("check the card of that rank and its library: `topsctl verify --level single`"));
  }
  const auto answered = static_cast<std::int64_t>(step->ranks.size());
  if (answered != ranks || step->status != 0) {
    return fail(result,
                with_output(format("{} of {} ranks responded; their launcher exited with status {}",
                                   answered, ranks, step->status),
                            trial.output),
                lacks_libuv(trial.output)
                    ? "this torch is built without libuv, but its torchrun uses it: start the "
                      "ranks another way, or install another build of torch"
                    : "a rank died: check `dmesg` for its card");
  }
  pass(result, format("{}{} with the sum {}", ranks, ranks == 1 ? " rank" : " ranks",
                      number_text(step->ranks.front().total)));
}

void BackendChecks::judge_perf(const CheckRule& rule, CheckResult& result) {
  result.expected = format("{} succeeds", rule.file);
  const InstalledDeb* deb = machine_.deb_of(rule.component);
  const auto path =
      deb == nullptr
          ? std::vector<std::string>::const_iterator()
          : std::find_if(deb->files.begin(), deb->files.end(),
                         [&](const std::string& file) { return name_part(file) == rule.file; });
  if (deb == nullptr || path == deb->files.end())
    return skip(result, format("no package provides {}", rule.file));
  Command command = machine_.host.command({*path}, machine_.options.timeout_ms);
  for (const auto& [name, value] : machine_.variables()) command.environment[name] = value;
  const RunResult run = machine_.host.runner->run(command);
  // The line with the bandwidth, if there is one.
  std::string last = last_lines(run.output, 1);
  for (const std::string& line : split(run.output, '\n')) {
    if (line.find("andwidth") != std::string::npos) last = line;
  }
  result.output = printable(last_lines(run.output, 100), Lines::keep);
  if (!run.ok()) return fail(result, with_output(signal_name(run.ending()), last), "");
  pass(result, last);
}

}  // namespace topsctl

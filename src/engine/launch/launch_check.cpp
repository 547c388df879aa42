// Collects checks and findings, and decides which of them prevent a start.
#include "topsctl/engine/launch/launch_check.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/environment_check.hpp"
#include "topsctl/engine/diagnosis/machine_judgement.hpp"
#include "topsctl/engine/diagnosis/project_reader.hpp"
#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t least_room = std::uint64_t{256} << 20U;  // bytes, for logs
constexpr const char* failed_check_id = "stack-check-failed";    // the checks say which
constexpr std::uint64_t largest_configuration = std::uint64_t{64} << 20U;

std::vector<std::int64_t> wanted_cards(const LaunchRequest& request) {
  std::vector<std::int64_t> cards;
  for (const std::string& card : split(request.cards, ',')) {
    if (is_digits(card)) cards.push_back(std::stoll(card));
  }
  return cards;
}

CheckResult check_cards(const MachineState& state, const LaunchRequest& request) {
  CheckResult check;
  check.id = "cards-free";
  check.level = CheckLevel::device;
  check.expected = "no other process has the cards open";
  const std::vector<std::int64_t> wanted = wanted_cards(request);
  std::vector<std::string> taken;
  for (const JobProcess& process : state.processes) {
    for (const std::int64_t card : process.cards) {
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), card) != wanted.end())
        taken.push_back(format("card {} in use by process {}", card, process.pid));
    }
  }
  check.status = taken.empty() ? CheckStatus::pass : CheckStatus::fail;
  check.observed = taken.empty() ? "none in use" : joined(taken, ", ");
  if (!taken.empty()) check.hint = "stop that job, or use other cards: --cards LIST";
  return check;
}

CheckResult check_room(const LaunchRequest& request) {
  CheckResult check;
  check.id = "log-room";
  check.level = CheckLevel::files;
  check.expected = format("{} for logs", human_size(least_room));
  const std::uint64_t free = free_bytes(
      request.log_folder.empty() ? fs::current_path() : fs::absolute(request.log_folder));
  check.status = free < least_room ? CheckStatus::fail : CheckStatus::pass;
  check.observed = format("{} free", human_size(free));
  if (check.status == CheckStatus::fail)
    check.hint = "free some space, or use another directory: --log-dir DIR";
  return check;
}

void add_findings(const Judgement& judgement, LaunchCheck& preflight) {
  for (const Judged& each : judgement.diagnoses) {
    if (each.finding.severity >= Severity::warning && each.finding.id != failed_check_id)
      preflight.findings.push_back(each.finding);
  }
}

void look_at_host(const Host& host, const Stack& stack, const LaunchRequest& request,
                  const DiagnosisCatalogue& catalogue, Language language, LaunchCheck& preflight) {
  MachineFacts facts;
  facts.state = look_at_machine(host, stack, {});
  preflight.checks.push_back(check_cards(facts.state, request));
  preflight.checks.push_back(check_room(request));
  // Problems of another job do not matter.
  facts.state.processes.clear();
  facts.state.processes_later.clear();
  facts.checks = preflight.checks;
  std::vector<std::string> ignored;
  for (Finding& finding : check_environment(host, stack, std::nullopt, ignored).findings) {
    if (finding.severity >= Severity::error) preflight.findings.push_back(std::move(finding));
  }
  add_findings(judge_machine(catalogue, facts, language), preflight);
}

void look_at_sources(const Stack& stack, const LaunchRequest& request,
                     const DiagnosisCatalogue& catalogue, Language language,
                     const SandboxWish& sandbox, LaunchCheck& preflight) {
  if (request.shim == shim_always) return;  // the shim handles what the check would find
  ProjectOptions options;
  if (!stack.environment.generation.empty()) options.target.api = stack.environment.generation;
  try {
    add_findings(
        judge_project(catalogue, read_sources(files_among(request.words), options, sandbox), false,
                      language),
        preflight);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    if (sandbox.on_warning) sandbox.on_warning(error.message());
  }
}

void refuse(const std::string& id, const LaunchRequest& request, LaunchCheck& preflight) {
  const auto has = [&](const std::vector<std::string>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  if (!has(request.accepted) && !has(preflight.refused)) preflight.refused.push_back(id);
}

void add_refusals(const Verification& verification, const LaunchRequest& request,
                  LaunchCheck& preflight) {
  for (const CheckResult* problem : verification.problems())
    refuse(problem->id, request, preflight);
  for (const CheckResult& check : preflight.checks) {
    if (check.status == CheckStatus::fail) refuse(check.id, request, preflight);
  }
  for (const Finding& finding : preflight.findings) {
    if (finding.severity >= Severity::error) refuse(finding.id, request, preflight);
  }
}

std::string last_evidence(const Finding& finding) {
  return finding.evidence.empty() ? std::string() : finding.evidence.back().text;
}

}  // namespace

LaunchCheck look_before_launch(const Host& host, const Stack& stack, const LaunchRequest& request,
                               const DiagnosisCatalogue& catalogue, Language language,
                               const SandboxWish& sandbox, EventSink* events) {
  const bool is_wanted = request.level != no_preflight;
  if (!is_wanted && !request.python.empty()) return {request.python, {}, {}, {}};
  VerifyOptions verify_options;
  if (is_wanted) verify_options.highest = *level_named(request.level);
  verify_options.events = events;
  std::vector<CheckRule> rules = is_wanted ? stack.checks : std::vector<CheckRule>();
  // A built library belongs to no package, and no start file refers to it.
  if (!request.settings.library.empty())
    std::erase_if(rules, [](const CheckRule& rule) {
      return !rule.component.empty() || rule.kind == CheckKind::environment_file;
    });
  const Verification verification = run_checks(host, stack, rules, request.python, verify_options);
  LaunchCheck preflight;
  preflight.python = request.python.empty() ? verification.python : request.python;
  if (!is_wanted) return preflight;
  preflight.checks = verification.checks;
  look_at_host(host, stack, request, catalogue, language, preflight);
  look_at_sources(stack, request, catalogue, language, sandbox, preflight);
  add_refusals(verification, request, preflight);
  return preflight;
}

void look_at_settings(const std::map<std::string, std::string>& variables, const Stack& stack,
                      const LaunchRequest& request, LaunchCheck& preflight) {
  const std::vector<Finding> before = preflight.findings;
  for (Finding& finding : setting_findings(variables, stack, request.settings)) {
    // One variable may contradict several others.
    const bool is_known = std::any_of(before.begin(), before.end(), [&](const Finding& each) {
      return each.id == finding.id && each.subject == finding.subject &&
             last_evidence(each) == last_evidence(finding);
    });
    if (is_known) continue;
    if (finding.severity >= Severity::error && request.level != no_preflight)
      refuse(finding.id, request, preflight);
    preflight.findings.push_back(std::move(finding));
  }
}

std::vector<fs::path> files_among(const std::vector<std::string>& words) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    // "--config=FILE" has a file too.
    const auto equals = word.starts_with('-') ? word.find('=') : std::string::npos;
    const fs::path file = equals == std::string::npos ? word : word.substr(equals + 1);
    std::error_code failure;
    if (fs::is_regular_file(file, failure)) files.push_back(file);
  }
  return files;
}

std::vector<std::string> wheels_of(const Stack& stack) {
  std::vector<std::string> wheels = stack.python.unchanged;
  for (const Component& component : stack.components) {
    if (component.kind == PackageKind::wheel)
      wheels.insert(wheels.end(), component.names.begin(), component.names.end());
  }
  return wheels;
}

std::map<std::string, std::string> versions_of(const Host& host, const Stack& stack,
                                               const std::optional<PythonFacts>& python) {
  std::map<std::string, std::string> versions = {{"topsctl", std::string(topsctl_version())}};
  std::vector<TargetPackage> packages;
  try {
    packages = read_packages(host);
  } catch (const Error&) {
    // A host without dpkg, or one that hides it.
  }
  for (const Component& component : stack.components) {
    for (const std::string& name : component.names) {
      const TargetPackage* package = package_named(packages, name);
      if (component.kind == PackageKind::deb && package != nullptr)
        versions[name] = package->version;
    }
  }
  if (python) {
    versions["python"] = python->version;
    for (const InstalledWheel& wheel : python->wheels) versions[wheel.name] = wheel.version;
  }
  return versions;
}

std::map<std::string, std::string> digests_of_job(const std::vector<std::string>& words) {
  std::map<std::string, std::string> digests;
  for (const fs::path& file : files_among(words)) {
    std::error_code failure;
    if (fs::file_size(file, failure) <= largest_configuration && !failure)
      digests[file.string()] = sha256_of_file(file);
  }
  return digests;
}

}  // namespace topsctl

// topsctl inspect: the content of a bundle, whether it is intact, and whether it fits a host.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "cli/command.hpp"
#include "cli/compatibility_text.hpp"
#include "cli/diff_text.hpp"
#include "cli/finding_text.hpp"
#include "cli/inspection_json.hpp"
#include "cli/inspection_text.hpp"
#include "cli/install_options.hpp"
#include "cli/lock_output.hpp"
#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/engine/inspection/missing_folders.hpp"
#include "topsctl/engine/inspection/tree_packages.hpp"
#include "topsctl/engine/planning/foresight.hpp"
#include "topsctl/engine/planning/selection.hpp"
#include "topsctl/engine/reporting/bundle_diff.hpp"
#include "topsctl/engine/reporting/bundle_diff_json.hpp"
#include "topsctl/engine/reporting/markdown_report.hpp"
#include "topsctl/engine/reporting/sbom.hpp"
#include "topsctl/host/bundle/stacks.hpp"
#include "topsctl/host/facts/target_facts.hpp"
#include "topsctl/host/system/given_files.hpp"

namespace topsctl {

namespace {

constexpr const char* not_understood = "runfile-not-understood";

struct InspectCommandOptions {
  std::vector<std::string> paths;
  std::string stack;
  bool fast = false;
  bool deep = false;
  std::string against;
  std::string diff;
  std::string lock;
  std::string sbom;
  std::string format = "text";
  bool no_sandbox = false;
};

Depth depth_of(const InspectCommandOptions& options) {
  if (options.fast) return Depth::fast;
  // The requirements of a file, and changes in it, are only visible when it is read.
  return options.deep ? Depth::deep : Depth::digest;
}

unsigned usable_cores() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

JudgedBundle read(const std::vector<std::string>& paths, const InspectCommandOptions& options,
                  Session& session, ReportHeader& header) {
  BundleReading reading;
  reading.depth = depth_of(options);
  reading.threads = usable_cores();
  reading.on_file = [&](const std::string& file) {
    session.events->working(format("reading {}", file));
  };
  reading.on_bytes = [&](std::uint64_t done, std::uint64_t total) {
    session.events->progressed(done, total);
  };
  const SandboxWish wish{sandboxing_of(options.no_sandbox),
                         [&](const std::string& warning) { header.warnings.push_back(warning); }};
  const BundleFiles files({paths.begin(), paths.end()}, stacks_meant(options.stack), wish);
  return read_and_judge(files.found(), reading, wish);
}

// The interpreters that an install of the bundle would try.
std::vector<std::string> usual_interpreters(const std::string& stack, const Inventory& inventory) {
  try {
    return chosen_stack(stack, inventory).stack.python.executables;
  } catch (const Error&) {
    return {};  // no complete stack, which is reported as such
  }
}

// Debs that belong to no stack may be in one bundle without being meant for one host.
bool are_any_chosen(const Inventory& inventory) {
  return std::any_of(inventory.packages.begin(), inventory.packages.end(),
                     [](const Package& package) { return package.chosen; });
}

CompatibilityRules rules_of(const std::vector<Stack>& stacks,
                            const std::vector<std::string>& executables) {
  CompatibilityRules rules;
  rules.executables = executables;
  for (const Stack& stack : stacks) {
    for (Companion& companion : companions_of(stack))
      rules.companions.push_back(std::move(companion));
    rules.fixed.merge(fixed_distributions(stack));
  }
  return rules;
}

// Adds findings that are not reported yet; those on interpreters once, for any stack.
void add_untold(std::vector<Finding> foreseen, std::vector<Finding>& findings) {
  for (Finding& each : foreseen) {
    const bool is_reported =
        std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
          return finding.id == each.id &&
                 (finding.subject == each.subject || each.id == no_interpreter_finding);
        });
    if (!is_reported) findings.push_back(std::move(each));
  }
}

std::string bundle_name(const std::string& given) {
  const std::filesystem::path path(given);
  const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
  return name.empty() || name == "." ? "bundle" : printable(name);
}

// Unreadable packages and archives determine the exit status first. A .run of another kind is not a
// failure beside packages, but if it is the only file, nothing was inspected.
void judge(const InspectionDocument& document, ReportHeader& header) {
  const bool has_packages = !document.inspection.inventory.packages.empty();
  std::size_t unreadable = 0;
  const Finding* first = nullptr;
  for (const Finding& finding : document.findings) {
    const bool is_failure = finding.id == "package-unreadable" ||
                            finding.id == "container-unreadable" || finding.id == "archive-bomb" ||
                            (finding.id == not_understood && !has_packages);
    if (!is_failure) continue;
    if (unreadable++ == 0) first = &finding;
  }
  if (first != nullptr) {
    header.exit = ExitCode::bad_input;
    header.error =
        Error(ErrorCode::bad_package,
              format("cannot read {} of the bundle, first: {}", counted(unreadable, "file"),
                     first->subject),
              first->id == not_understood
                  ? "unpack it as its vendor describes, on a disposable machine, and inspect the "
                    "directory"
                  : "copy the file again and compare its size and sha256 with the vendor's");
  } else if (std::any_of(document.findings.begin(), document.findings.end(),
                         [](const Finding& f) { return f.severity >= Severity::error; })) {
    header.exit = ExitCode::problems;
  }
}

std::string bill_of_materials(const InspectCommandOptions& options, const Inspection& inspection,
                              Session& session) {
  const SbomFrame frame{bundle_name(options.paths.front()), timestamp(session.host.clock->now())};
  return to_text(cyclonedx_document(inspection, frame));
}

Detail detail_of(const Session& session) {
  return session.detail == Verbosity::verbose ? Detail::full : Detail::brief;
}

std::string inspect_text(const InspectCommandOptions& options, const InspectionDocument& document,
                         std::vector<TextSection> sections, Session& session) {
  if (options.format == "markdown") {
    return markdown_report(document.inspection, document.findings,
                           {bundle_name(options.paths.front()),
                            timestamp(session.host.clock->now()), document.stacks});
  }
  InspectionFrame frame;
  frame.verdict = document.verdict;
  frame.sections = std::move(sections);
  frame.bundle = options.paths.front();
  const auto carry = [&](const char* option, const std::string& value) {
    if (!value.empty()) frame.options += concat(" ", option, " ", typed_word(value));
  };
  carry("--stack", options.stack);
  carry("--lock", options.lock);
  std::error_code ignored;
  if (options.against != "/" && std::filesystem::is_directory(options.against, ignored))
    carry("--root", options.against);
  frame.detail = detail_of(session);
  std::string text =
      render_inspection(document.inspection, document.findings, frame, session.style);
  if (!options.lock.empty()) {
    text += format("lock: {} ({})\n", printable(options.lock),
                   counted(document.inspection.inventory.packages.size(), "package"));
  }
  return text;
}

Output run_inspect(const InspectCommandOptions& options, Session& session) {
  if (options.format == "markdown" && !options.diff.empty()) {
    throw Error(ErrorCode::usage, "--format markdown cannot show the differences of --diff",
                "use --format text or --format json");
  }
  require_folder_of(options.lock);
  auto document = std::make_shared<InspectionDocument>();
  Inspection& inspection = document->inspection;
  // An unreadable stack is reported before minutes of reading.
  const std::vector<Stack> stacks = stacks_meant(options.stack);
  Output output;
  output.header.command = "inspect";
  JudgedBundle judged = read(options.paths, options, session, output.header);
  inspection = std::move(judged.inspection);
  document->findings = std::move(judged.findings);
  document->stacks = stack_matches(stacks, inspection.inventory);
  output.is_data = !options.sbom.empty() || options.format == "markdown";
  std::vector<TextSection> sections;
  if (!options.against.empty()) {
    session.events->working("inspecting the target");
    const auto executables = usual_interpreters(options.stack, inspection.inventory);
    const TargetSnapshot target = target_of(session.host, options.against, executables);
    settle_missing_folders(document->findings, inspection.inventory.packages, folders_of(target));
    CompatibilityReport fit = fit_of(inspection, packages_to_fit(inspection.inventory), target,
                                     rules_of(stacks, executables));
    add_untold(foreseen_refusals(options.stack, inspection, target,
                                 host_at_root(session.host, options.against)),
               fit.findings);
    document->against = to_json(fit, inspection.inventory, target);
    sections = fit_sections(fit, inspection.inventory, target);
    std::move(fit.findings.begin(), fit.findings.end(), std::back_inserter(document->findings));
  } else if (are_any_chosen(inspection.inventory)) {
    add_untold(
        clashes_in_bundle(inspection, packages_to_fit(inspection.inventory), rules_of(stacks, {})),
        document->findings);
  }
  sort_findings(document->findings);
  document->verdict = bundle_verdict(inspection, document->stacks, document->findings);
  judge(*document, output.header);
  if (!options.lock.empty()) {
    static_cast<void>(write_lock(options.lock, inspection.inventory, *session.host.clock,
                                 output.header.warnings));
    document->lock = {{"file", options.lock}, {"packages", inspection.inventory.packages.size()}};
  }
  if (!options.diff.empty()) {
    const Inspection other = read({options.diff}, options, session, output.header).inspection;
    const BundleDiff diff = diff_of(inspection, other);
    document->diff = to_json(diff);
    output.text = render_diff(diff, detail_of(session), session.style);
  } else if (!options.sbom.empty()) {
    output.text = bill_of_materials(options, inspection, session);
  } else {
    output.text = inspect_text(options, *document, std::move(sections), session);
  }
  output.json_members = [document](std::ostream& out) { write_members(out, *document); };
  return output;
}

Json empty_body() {
  std::ostringstream members;
  write_members(members, {});
  Json body = parse_json(concat("{", members.str(), "}"), {});
  body["verdict"] = nullptr;
  return body;
}

}  // namespace

CommandAction define_inspect(OptionTable& table) {
  auto options = std::make_shared<InspectCommandOptions>();
  table
      .argument("path", options->paths,
                "Bundle directories, .deb, .whl and .run files, and archives of them", "PATH")
      .required();
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.flag("--fast", options->fast, "Read only the packages' metadata");
  table.flag("--deep", options->deep, "Read and check all data").excludes("--fast");
  table.value("--against", options->against,
              "Compare with a host: its root directory, or a file of `topsctl snapshot`",
              "ROOT|SNAPSHOT");
  table.value("--diff", options->diff, "Show the differences to another bundle", "PATH");
  table.value("--lock", options->lock, "Write the digests of all packages to a lock file", "FILE")
      .excludes("--fast");
  table.value("--sbom", options->sbom, "Write an SBOM to standard output", "cyclonedx")
      .choices({"cyclonedx"})
      .excludes("--fast")
      .excludes("--diff");
  table.value("--format", options->format, "Report format", "text|json|markdown")
      .choices({"text", "json", "markdown"});
  add_sandbox_option(table, options->no_sandbox);
  return {[options](Session& session) { return run_inspect(*options, session); }, empty_body()};
}

}  // namespace topsctl

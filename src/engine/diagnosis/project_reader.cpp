// Reads all sources twice: for facts about the project, and for its changes.
#include "topsctl/engine/diagnosis/project_reader.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/diagnosis/notebook.hpp"
#include "engine/diagnosis/project_files.hpp"
#include "engine/diagnosis/source_rewriter.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/system/confined_call.hpp"

namespace topsctl {

namespace {

constexpr std::uint64_t most_source_bytes = 8U << 20U;
constexpr std::size_t widest_evidence = 200;  // columns

// Whether a patch can name the path without quoting, and a terminal can show it.
bool is_plain_path(std::string_view path) {
  return is_utf8(path) && !has_harmful_character(path) &&
         path.find_first_of("\"\\\t") == std::string_view::npos;
}

class ProjectSearch {
 public:
  ProjectSearch(const SourceRewriter& rewriter, PatchStyle style,
                const std::vector<ProjectFile>& files)
      : rewriter_(rewriter), style_(style), files_(files) {}

  ProjectReading run(const ConfinedProgress& progress) {
    ProjectFacts known;
    std::map<const ProjectFile*, std::string> wanted;
    for (const ProjectFile& file : files_) {
      progress.file(file.path);
      if (file.kind != SourceKind::python) continue;
      std::string text;
      if (!read(file, text)) continue;
      FoundRewrites found = rewriter_.find(file.kind, text, facts_);
      ++reading_.files;
      if (!found.problem.empty()) {
        pass_over(file, found);
        continue;
      }
      const std::string name = file.file.filename().string();
      if (rewriter_.asks_of(name)) known.texts[name] += text;
      known.names_cuda = known.names_cuda ||
                         std::any_of(found.hits.begin(), found.hits.end(), [](const auto& hit) {
                           return hit.handling == Handling::shim;
                         });
      if (found.makes_group) known.group_scripts.insert(name);
      // Entry scripts get the import even without a hit.
      const bool is_entry =
          style_ == PatchStyle::import && text.find("__main__") != std::string::npos;
      if (!found.hits.empty() || is_entry) wanted.emplace(&file, std::move(text));
    }
    facts_ = std::move(known);
    for (const ProjectFile& file : files_) {
      const auto python = wanted.find(&file);
      if (python != wanted.end()) rewrite(file, python->second);
      std::string text;
      if (file.kind == SourceKind::python || !read(file, text)) continue;
      ++reading_.files;
      if (file.kind == SourceKind::notebook)
        look_at_notebook(file, text);
      else
        rewrite(file, text);
    }
    return std::move(reading_);
  }

 private:
  bool read(const ProjectFile& file, std::string& text) {
    try {
      const auto source = file_source(file.file, file.found_below);
      text = whole_text(*source, most_source_bytes, file.path);
      return true;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
      reading_.passed_over.push_back({file.path, error.message()});
      return false;
    }
  }

  void pass_over(const ProjectFile& file, const FoundRewrites& found) {
    reading_.passed_over.push_back(
        {file.path, found.problem_line > 0
                        ? format("{} (line {})", found.problem, found.problem_line)
                        : found.problem});
  }

  void rewrite(const ProjectFile& file, const std::string& text) {
    RewrittenSource done = rewriter_.rewrite(file.kind, text, facts_);
    const bool can_be_patched = done.found.problem.empty() && is_plain_path(file.path);
    if (!done.found.problem.empty()) pass_over(file, done.found);
    for (SourceHit& hit : done.found.hits) {
      reading_.places.push_back({std::move(hit.id), hit.handling, file.path, hit.line,
                                 std::move(hit.text), hit.is_guarded, hit.has_rewrite,
                                 hit.is_applied && can_be_patched});
    }
    if (!can_be_patched || !done.text.is_changed()) return;
    reading_.diff += done.text.unified_diff(file.path);
    reading_.changes.push_back({file.path, done.text.before(), done.text.text()});
  }

  // Notebooks are read but not patched.
  void look_at_notebook(const ProjectFile& file, const std::string& text) {
    const auto code = code_of_notebook(text);
    if (!code) {
      reading_.passed_over.push_back({file.path, "not a notebook of nbformat 4"});
      return;
    }
    FoundRewrites found = rewriter_.find(SourceKind::python, code->text, facts_);
    if (!found.problem.empty()) {
      reading_.passed_over.push_back({file.path, found.problem});
      return;
    }
    for (SourceHit& hit : found.hits) {
      const auto line = static_cast<std::size_t>(hit.line) - 1;
      const NotebookCode::Place place =
          line < code->places.size() ? code->places[line] : NotebookCode::Place{};
      reading_.places.push_back({std::move(hit.id), hit.handling,
                                 format("{} (cell {})", file.path, place.cell), place.line,
                                 std::move(hit.text), hit.is_guarded, false, false});
    }
    if (!found.hits.empty())
      reading_.passed_over.push_back({file.path, "notebooks are not patched"});
  }

  const SourceRewriter& rewriter_;
  PatchStyle style_;
  const std::vector<ProjectFile>& files_;
  ProjectFacts facts_;
  ProjectReading reading_;
};

}  // namespace

namespace {

ProjectReading read_found(const ProjectFiles& found, const std::string& subject,
                          const ProjectOptions& options, const SandboxWish& wish) {
  const SourceRewriter rewriter(rewrites_for(built_in_rewrites(), options.target), options.style,
                                options.accepted);
  ConfinedCall call;
  call.sandboxing = wish.sandboxing;
  call.subject = subject;
  call.on_warning = wish.on_warning;
  for (const ProjectFile& file : found.files) {
    if (file.found_below.empty())
      call.inputs.insert(file.file);
    else
      call.found_inputs.emplace(file.file, file.found_below);
  }
  ProjectReading reading = confined<ProjectReading>(call, [&](const ConfinedProgress& progress) {
    return ProjectSearch(rewriter, options.style, found.files).run(progress);
  });
  reading.passed_over.insert(reading.passed_over.begin(), found.passed_over.begin(),
                             found.passed_over.end());
  return reading;
}

}  // namespace

ProjectReading read_project(const std::filesystem::path& folder, const ProjectOptions& options,
                            const SandboxWish& wish) {
  return read_found(find_project_files(folder), in_quotes(folder.string()), options, wish);
}

ProjectReading read_sources(const std::vector<std::filesystem::path>& files,
                            const ProjectOptions& options, const SandboxWish& wish) {
  const ProjectFiles found = sources_among(files);
  if (found.files.empty()) return {};
  return read_found(found, in_quotes(found.files.front().path), options, wish);
}

Judgement judge_project(const DiagnosisCatalogue& catalogue, const ProjectReading& reading,
                        bool has_shim, Language language) {
  Judgement judgement;
  for (const Diagnosis& diagnosis : catalogue.diagnoses) {
    std::vector<Evidence> evidence;  // without a limit
    bool is_left = false;
    for (const ProjectPlace& place : reading.places) {
      if (place.id != diagnosis.finding.id) continue;
      evidence.push_back(
          {printable(place.path), place.line, shortened(printable(place.text), widest_evidence)});
      const bool is_done = has_shim ? place.handling == Handling::shim : place.is_guarded;
      is_left = is_left || !is_done;
    }
    if (evidence.empty()) continue;
    Judged judged;
    judged.finding = finding_in(diagnosis, language);
    judged.finding.evidence = std::move(evidence);
    judged.finding.subject = judged.finding.evidence.front().source;
    if (!is_left) judged.finding.severity = Severity::info;
    if (!is_left && has_shim)
      judged.finding.remedy = {
          format(
              "Nothing has to be changed: the runtime shim of `topsctl launch -- SCRIPT` does it."),
          {},
          judged.finding.remedy.risk};
    if (is_left && (has_shim || judged.finding.severity >= Severity::error))
      judgement.verdict = JobVerdict::problems;
    judgement.diagnoses.push_back(std::move(judged));
  }
  std::stable_sort(
      judgement.diagnoses.begin(), judgement.diagnoses.end(),
      [](const Judged& a, const Judged& b) { return a.finding.severity > b.finding.severity; });
  return judgement;
}

}  // namespace topsctl

// Walks a project without following links.
#include "engine/diagnosis/project_files.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_sources = 20'000;
constexpr std::size_t most_entries = 1'000'000;
constexpr std::size_t most_names = 20'000;
constexpr std::uintmax_t most_bytes = 256U << 20U;
constexpr std::size_t most_named = 100;               // links and large files
constexpr std::uintmax_t largest_source = 4U << 20U;  // bytes

constexpr const char* too_large = "it is larger than 4 MiB";

constexpr std::array<std::string_view, 10> others_folders = {
    ".git", ".hg",   ".svn",          "node_modules",  "__pycache__",
    ".tox", ".eggs", "site-packages", "dist-packages", ".ipynb_checkpoints"};

[[noreturn]] void refuse_project(const std::string& message) {
  throw Error(ErrorCode::bad_input, message, "give the directory with the training sources");
}

std::optional<SourceKind> kind_of(const fs::path& file) {
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".py") return SourceKind::python;
  if (extension == ".sh" || extension == ".bash") return SourceKind::shell;
  if (extension == ".yaml" || extension == ".yml") return SourceKind::yaml;
  if (extension == ".json") return SourceKind::json;
  if (extension == ".ipynb") return SourceKind::notebook;
  return std::nullopt;
}

bool is_of_others(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (std::find(others_folders.begin(), others_folders.end(), name) != others_folders.end())
    return true;
  std::error_code ignored;
  return fs::exists(folder / "pyvenv.cfg", ignored);
}

bool leads_out(const fs::path& link, const fs::path& top) {
  std::error_code failure;
  const fs::path target = fs::weakly_canonical(link, failure);
  if (failure) return true;
  const fs::path relative = target.lexically_relative(top);
  return relative.empty() || *relative.begin() == "..";
}

bool is_for_cuda(const fs::path& file, const fs::path& found_below) {
  static const Pattern named(R"((?m)^[^#\n]*\b(?:cuda|(?i:nccl))\b)");
  try {
    const auto source = file_source(file, found_below);
    return named.matches(whole_text(*source, largest_source, file.string()));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
    return false;
  }
}

class Walk {
 public:
  explicit Walk(const fs::path& folder) : top_(fs::canonical(folder)) {}

  ProjectFiles run() {
    std::error_code failure;
    fs::recursive_directory_iterator at(top_, fs::directory_options::skip_permission_denied,
                                        failure);
    if (failure) throw system_error(failure.value(), "read", top_.string(), ErrorCode::bad_input);
    std::size_t entries = 0;
    for (; at != fs::recursive_directory_iterator(); at.increment(failure)) {
      if (failure) throw system_error(failure.value(), "read", top_.string(), ErrorCode::bad_input);
      if (++entries > most_entries || found_.files.size() > most_sources)
        refuse_project(format("cannot read {}: more than {} source files or {} files",
                              in_quotes(top_.string()), most_sources, most_entries));
      if (!look_at(*at)) at.disable_recursion_pending();
    }
    std::sort(found_.files.begin(), found_.files.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  // Whether to descend into it.
  bool look_at(const fs::directory_entry& entry) {
    std::error_code failure;
    const fs::file_status status = entry.symlink_status(failure);
    const std::string path = entry.path().lexically_relative(top_).string();
    if (fs::is_directory(status)) return !is_of_others(entry.path());
    const auto kind = kind_of(entry.path());
    if (fs::is_symlink(status)) {
      if ((kind || fs::is_directory(entry.path(), failure)) && leads_out(entry.path(), top_))
        pass_over(path, "it is a link to outside the project");
      return false;
    }
    if (!fs::is_regular_file(status)) return false;
    if (!kind) return false;
    if (entry.file_size(failure) > largest_source)
      pass_over(path, too_large);
    else
      found_.files.push_back({entry.path(), path, *kind, top_});
    return false;
  }

  void pass_over(const std::string& path, const char* why) {
    if (found_.passed_over.size() < most_named) found_.passed_over.push_back({path, why});
  }

  fs::path top_;
  ProjectFiles found_;
};

}  // namespace

ProjectFiles find_project_files(const fs::path& folder) {
  std::error_code failure;
  const fs::file_status status = fs::status(folder, failure);
  if (!fs::exists(status))
    refuse_project(format("cannot read {}: no such directory", missing_path(folder)));
  if (!fs::is_directory(status))
    refuse_project(format("cannot read {}: not a directory", in_quotes(folder.string())));
  ProjectFiles found = Walk(folder).run();
  if (found.files.empty())
    refuse_project(format("no source file in {}", in_quotes(folder.string())));
  return found;
}

bool names_cuda(const fs::path& folder, const std::vector<std::string>& words) {
  for (const ProjectFile& file : sources_among({words.begin(), words.end()}).files) {
    if (is_for_cuda(file.file, {})) return true;
  }
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failure);
  std::size_t names = 0;
  std::uintmax_t bytes = 0;
  for (; !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    const fs::file_status status = at->symlink_status(ignored);
    if (fs::is_directory(status) && is_of_others(at->path())) at.disable_recursion_pending();
    if (++names > most_names) return false;
    if (!fs::is_regular_file(status) || kind_of(at->path()) != SourceKind::python) continue;
    bytes += std::min(at->file_size(ignored), largest_source);
    if (bytes > most_bytes) return false;
    if (is_for_cuda(at->path(), folder)) return true;
  }
  return false;
}

ProjectFiles sources_among(const std::vector<fs::path>& files) {
  ProjectFiles found;
  for (const fs::path& file : files) {
    std::error_code failure;
    const auto kind = kind_of(file);
    if (!kind || !fs::is_regular_file(file, failure)) continue;
    if (fs::file_size(file, failure) > largest_source)
      found.passed_over.push_back({file.string(), too_large});
    else
      found.files.push_back({fs::canonical(file), file.string(), *kind});
  }
  return found;
}

}  // namespace topsctl

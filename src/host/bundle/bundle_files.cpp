// Walks the directories of a bundle.
#include "topsctl/host/bundle/bundle_files.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

FoundFiles files_of_bundle(const std::vector<fs::path>& paths) {
  FoundFiles found{paths.front().string(), {}};
  for (const fs::path& path : paths) {
    std::vector<FoundFile> files = files_under(path);
    std::move(files.begin(), files.end(), std::back_inserter(found.files));
  }
  return found;
}

std::vector<FoundFile> files_under(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) {
    throw Error(ErrorCode::bad_bundle, format("no such file or directory: {}", missing_path(path)),
                "give the path of a bundle directory, or of .deb and .whl files");
  }
  if (!fs::is_directory(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::bad_bundle,
                format("{} is neither a file nor a directory", in_quotes(path.string())),
                "give the path of a bundle directory, or of .deb and .whl files");
  }
  if (!fs::is_directory(status)) return {{path, path.filename().string()}};
  std::vector<FoundFile> found;
  const auto options = fs::directory_options::none;
  for (auto at = fs::recursive_directory_iterator(path, options, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) {
      found.push_back({at->path(), at->path().lexically_relative(path).string()});
    }
    if (found.size() > 1'000'000) {
      throw Error(ErrorCode::bad_bundle,
                  format("{} contains more than a million files", in_quotes(path.string())),
                  "give the directory of the bundle itself");
    }
  }
  if (failure) throw system_error(failure.value(), "read", path.string(), ErrorCode::bad_bundle);
  std::sort(found.begin(), found.end(),
            [](const FoundFile& a, const FoundFile& b) { return a.shown < b.shown; });
  return found;
}

}  // namespace topsctl

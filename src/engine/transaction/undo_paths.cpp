// Classifies paths by their names.
#include "engine/transaction/undo_paths.hpp"

#include <algorithm>
#include <filesystem>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

std::optional<std::string> in_dpkg(std::string_view path) {
  constexpr std::string_view folder = "/lib/dpkg/";
  const auto found = path.find(folder);
  if (found == std::string_view::npos) return std::nullopt;
  return std::string(path.substr(found + folder.size()));
}

bool is_dpkg_database(std::string_view path) {
  const auto rest = in_dpkg(path);
  return rest && (*rest == "status" || *rest == "diversions" || *rest == "statoverride" ||
                  *rest == "triggers/File");
}

bool is_loader_cache(std::string_view path) {
  return path.starts_with("/etc/ld.so.cache") ||
         path.find("/cache/ldconfig/") != std::string_view::npos;
}

bool is_byte_code(std::string_view path) {
  return path.ends_with(".pyc") || path.ends_with("/__pycache__");
}

std::string source_of_byte_code(const std::string& path) {
  const fs::path code(path);
  const fs::path folder = code.parent_path();
  if (code.extension() != ".pyc" || folder.filename() != "__pycache__") return {};
  fs::path name = code.stem();  // MODULE.TAG or MODULE.TAG.opt-LEVEL
  if (name.extension().native().starts_with(".opt-")) name = name.stem();
  return concat((folder.parent_path() / name.stem()).native(), ".py");
}

bool is_code_of_kept(const Snapshot& snapshot, const std::string& path) {
  const KeptPath* source = kept_at(snapshot, source_of_byte_code(path));
  return source != nullptr && source->keeping != Keeping::released;
}

bool changes_by_itself(std::string_view path) {
  if (const auto rest = in_dpkg(path)) {
    return rest->ends_with("-old") || *rest == "available" || rest->starts_with("triggers/") ||
           rest->starts_with("updates/");
  }
  return is_byte_code(path) || is_loader_cache(path);
}

const KeptPath* kept_at(const Snapshot& snapshot, std::string_view path) {
  const auto found =
      std::lower_bound(snapshot.paths.begin(), snapshot.paths.end(), path,
                       [](const KeptPath& kept, std::string_view p) { return kept.path < p; });
  return found == snapshot.paths.end() || found->path != path ? nullptr : &*found;
}

std::string kept_text(const KeptPath& file, const std::filesystem::path& store) {
  if (file.content.empty()) return {};
  const std::filesystem::path place = content_place(file, store);
  std::error_code ignored;
  std::string text = std::filesystem::is_regular_file(place, ignored) ? read_text(place) : "";
  if (!file.state.sha256.empty() && sha256_of(text) != file.state.sha256) {
    throw Error(ErrorCode::journal_damaged,
                format("the backup of {} is missing or damaged", in_quotes(file.path)),
                way_out_of_damage());
  }
  return text;
}

}  // namespace topsctl

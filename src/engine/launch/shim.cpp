// Writes the embedded files of the shim, and the variables by which they are found.
#include "topsctl/engine/launch/shim.hpp"

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view data_folder = "shim/";
constexpr std::string_view version_mark = "@VERSION@";
constexpr const char* folder_variable = "TOPSCTL_SHIM_DIR";
constexpr mode_t own_folder_mode = 0700;
constexpr mode_t own_file_mode = 0600;

std::string with_version(std::string_view text) {
  const std::size_t at = text.find(version_mark);
  if (at == std::string_view::npos) return std::string(text);
  return concat(text.substr(0, at), topsctl_version(), text.substr(at + version_mark.size()));
}

}  // namespace

const std::vector<std::string>& shim_choices() {
  static const std::vector<std::string> choices = {std::string(shim_never),
                                                   std::string(shim_always)};
  return choices;
}

const std::vector<std::string>& shim_generations() {
  static const std::vector<std::string> generations = {"t2x", "s60"};
  return generations;
}

std::map<std::string, std::string> shim_environment(const fs::path& folder,
                                                    const std::string& generation,
                                                    const std::string& backend) {
  return {{"TOPSCTL_SHIM", generation},
          {"TOPSCTL_SHIM_BACKEND", backend},
          {folder_variable, folder.string()}};
}

void write_shim_for(const std::map<std::string, std::string>& environment) {
  const auto folder = environment.find(folder_variable);
  if (folder == environment.end()) return;
  make_directories(folder->second, own_folder_mode);
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with(data_folder)) continue;
    write_plainly(fs::path(folder->second) / file.name.substr(data_folder.size()),
                  with_version(file.bytes), own_file_mode);
  }
}

void load_shim_in(std::map<std::string, std::string>& environment) {
  const auto folder = environment.find(folder_variable);
  if (folder == environment.end()) return;
  std::string& path = environment["PYTHONPATH"];
  path = path.empty() ? folder->second : concat(folder->second, ":", path);
}

}  // namespace topsctl

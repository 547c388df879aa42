// Fills in the embedded files of the shim for a stack, and sets the variables that load it.
#include "topsctl/engine/launch/shim.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view data_folder = "shim/";
constexpr std::array<std::string_view, 2> generations = {"t2x", "s60"};
constexpr const char* folder_variable = "TOPSCTL_SHIM_DIR";

std::string filled(std::string text, std::string_view mark, std::string_view value) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), value);
  return text;
}

}  // namespace

const std::vector<std::string>& shim_choices() {
  static const std::vector<std::string> choices = {std::string(shim_auto), std::string(shim_always),
                                                   std::string(shim_never)};
  return choices;
}

bool has_shim(const Stack& stack) {
  const std::string& own = stack.environment.generation;
  return std::find(generations.begin(), generations.end(), own) != generations.end();
}

void require_shim(const Stack& stack, const std::string& way_out) {
  if (!has_shim(stack))
    throw Error(ErrorCode::usage, format("no runtime shim for the cards of stack {}", stack.name),
                way_out);
}

std::vector<ShimFile> shim_files(const Stack& stack) {
  std::vector<ShimFile> files;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.starts_with(data_folder) || !file.name.ends_with(".py")) continue;
    std::string text = filled(std::string(file.bytes), "@VERSION@", topsctl_version());
    text = filled(std::move(text), "@GENERATION@", stack.environment.generation);
    text = filled(std::move(text), "@BACKEND@", stack.backend.name);
    files.push_back({std::string(file.name.substr(data_folder.size())), std::move(text)});
  }
  return files;
}

std::map<std::string, std::string> shim_environment(const fs::path& folder, const Stack& stack) {
  return {{"TOPSCTL_SHIM", stack.environment.generation},
          {"TOPSCTL_SHIM_BACKEND", stack.backend.name},
          {folder_variable, folder.string()}};
}

void write_shim(const fs::path& folder, const std::vector<ShimFile>& files, mode_t folder_mode,
                mode_t file_mode) {
  make_directories(folder.parent_path(), folder_mode);
  if (::mkdir(folder.c_str(), folder_mode) != 0)
    throw system_error(errno, "create directory", folder.string());
  // Another user who can change the way gets no file of ours elsewhere.
  const Descriptor made(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!made.is_open() || ::fstat(made.get(), &status) != 0 || status.st_uid != ::geteuid())
    throw system_error(made.is_open() ? EEXIST : errno, "open", folder.string());
  for (const ShimFile& file : files) {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const Descriptor output(::openat(made.get(), file.name.c_str(), flags, file_mode));
    if (!output.is_open()) throw system_error(errno, "create", (folder / file.name).string());
    write_all(output, file.text, file.name);
  }
}

void load_shim_in(std::map<std::string, std::string>& environment) {
  const auto folder = environment.find(folder_variable);
  if (folder == environment.end()) return;
  std::string& path = environment["PYTHONPATH"];
  path = path.empty() ? folder->second : concat(folder->second, ":", path);
}

std::vector<std::string> words_that_load_shim(const fs::path& folder) {
  return {"sh", "-c", R"(exec env PYTHONPATH="$0${PYTHONPATH:+:$PYTHONPATH}" "$@")",
          folder.string()};
}

namespace {

std::string becomes(const Json& row, const Stack& stack, const char* language) {
  return filled(row.at(concat(stack.environment.generation, language)).get<std::string>(),
                "@BACKEND@", stack.backend.name);
}

}  // namespace

Json shim_mapping(const Stack& stack) {
  const auto text = embedded_file(concat(data_folder, "mapping.json"));
  Json data = parse_json(std::string(text.value_or("{}")), "mapping.json");
  Json mapped = Json::array();
  for (const Json& row : data.at("mapped"))
    mapped.push_back({{"cuda", row.at("cuda")},
                      {"becomes", becomes(row, stack, "")},
                      {"becomes_zh", becomes(row, stack, "_zh")}});
  return {{"mapped", std::move(mapped)}, {"refused", data.at("refused")}};
}

}  // namespace topsctl

// The runtime shim: Python files that let an unchanged CUDA program run on other cards.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Whether the ranks of a launch load the shim. Auto: if the project is for CUDA and the cards are
// not.
inline constexpr std::string_view shim_auto = "auto";
inline constexpr std::string_view shim_always = "always";
inline constexpr std::string_view shim_never = "never";
const std::vector<std::string>& shim_choices();

// Whether the shim maps CUDA to the cards of this stack.
bool has_shim(const Stack& stack);
// Throws Error{usage} if it does not; `way_out` is the hint.
void require_shim(const Stack& stack, const std::string& way_out);

struct ShimFile {
  std::string name;
  std::string text;
};
// The files for the cards and the backend of a stack with has_shim().
std::vector<ShimFile> shim_files(const Stack& stack);

// Below the log directory of a run, or the directory of a job's files.
inline constexpr const char* shim_folder = "shim";

// The environment of ranks that load the shim from `folder`; other processes do not load it.
std::map<std::string, std::string> shim_environment(const std::filesystem::path& folder,
                                                    const Stack& stack);

// Writes the files to a directory that must not exist. Throws Error.
void write_shim(const std::filesystem::path& folder, const std::vector<ShimFile>& files,
                mode_t folder_mode, mode_t file_mode);

// Changes the environment of a rank so that its interpreter, but no launcher, loads the shim.
void load_shim_in(std::map<std::string, std::string>& environment);
// The same for ranks of another launcher: words to prepend to the command.
std::vector<std::string> words_that_load_shim(const std::filesystem::path& folder);

// The CUDA names that the shim maps for one stack, and those that it refuses
// (src/data/shim/mapping.json): {"mapped": [{"cuda", "becomes"}], "refused": [{"cuda", "why",
// "why_zh"}]}.
Json shim_mapping(const Stack& stack);

}  // namespace topsctl

// The runtime shim: files of Python that let a program for CUDA run on other cards as it is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Whether the ranks of a launch load it: where the project is for CUDA and the cards are not, or
// as it is said.
inline constexpr std::string_view shim_auto = "auto";
inline constexpr std::string_view shim_always = "always";
inline constexpr std::string_view shim_never = "never";
const std::vector<std::string>& shim_choices();

// Whether it maps CUDA to the cards of this stack.
bool has_shim(const Stack& stack);
// Throws Error{usage} if it does not; `way_out` is the hint.
void require_shim(const Stack& stack, const std::string& way_out);

struct ShimFile {
  std::string name;
  std::string text;
};
// Made for the cards and the backend of a stack that has_shim().
std::vector<ShimFile> shim_files(const Stack& stack);

// Below the log folder of a run, or the folder of a job's files.
inline constexpr const char* shim_folder = "shim";

// The environment of ranks that load it from `folder`, and what else loads nothing.
std::map<std::string, std::string> shim_environment(const std::filesystem::path& folder,
                                                    const Stack& stack);

// Writes the files to a directory that may not be there yet. Throws Error.
void write_shim(const std::filesystem::path& folder, const std::vector<ShimFile>& files,
                mode_t folder_mode, mode_t file_mode);

// What a rank adds to this environment, so that its interpreter, and no launcher, loads the shim.
void load_shim_in(std::map<std::string, std::string>& environment);
// The same for ranks that another launcher starts: words before those of the command.
std::vector<std::string> words_that_load_shim(const std::filesystem::path& folder);

// What it makes of which names of CUDA, for one stack, and what it refuses
// (src/data/shim/mapping.json): {"mapped": [{"cuda", "becomes"}], "refused": [{"cuda", "why",
// "why_zh"}]}.
Json shim_mapping(const Stack& stack);

}  // namespace topsctl

// The runtime shim: files of Python that let a program for CUDA run on other cards as it is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// Whether the ranks of a launch load it.
inline constexpr std::string_view shim_never = "never";
inline constexpr std::string_view shim_always = "always";
const std::vector<std::string>& shim_choices();

// Generations of cards that it maps CUDA to.
const std::vector<std::string>& shim_generations();

// The environment of ranks that load the shim from `folder`, for cards of one of those
// generations; `backend` takes the place of NCCL.
std::map<std::string, std::string> shim_environment(const std::filesystem::path& folder,
                                                    const std::string& generation,
                                                    const std::string& backend);

// Writes its files to the directory that this environment names, which may not be there yet; does
// nothing where it names none. Throws Error.
void write_shim_for(const std::map<std::string, std::string>& environment);

// What a rank adds to this environment, so that its interpreter, and no launcher, loads the shim.
void load_shim_in(std::map<std::string, std::string>& environment);

}  // namespace topsctl

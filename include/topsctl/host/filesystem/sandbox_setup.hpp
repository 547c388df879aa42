// Mounting a throw-away view, in a mount namespace that is nobody else's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/host/filesystem/sandbox_mounts.hpp"

namespace topsctl {

// A file of ours that the view shows, read-only.
struct ShownFile {
  std::filesystem::path from;  // as we see it
  std::string path;            // as the view shows it
};

// Where what is written goes: to a folder of the disk, or to memory.
enum class LayerStore { disk, memory };

struct SandboxSpec {
  std::filesystem::path root;    // the machine's root directory
  std::filesystem::path layers;  // an empty folder for the layers; the view is "view" in it
  std::vector<SandboxMount> mounts;
  std::string hidden;                // a folder of the machine of which the view shows only:
  std::vector<ShownFile> shown;      // these files
  std::vector<std::string> folders;  // and these empty folders
  LayerStore store = LayerStore::disk;
  std::uint64_t most_memory = 0;  // bytes, with LayerStore::memory
};

// The folder whose content was written to the mount at `index` of the order; the view's own root.
std::filesystem::path upper_layer(const std::filesystem::path& layers, std::size_t index);
std::filesystem::path view_root(const std::filesystem::path& layers);

// What mounting did with each mount of the order: whether it is an overlay.
using Overlaid = std::vector<bool>;

// Ends all propagation of mounts to and from elsewhere, and builds the view. Throws Error that says
// what could not be mounted and why.
Overlaid mount_view(const SandboxSpec& order);

// Nobody but us says whether a service may be started there (invoke-rc.d(8)).
inline constexpr const char* service_policy_file = "/usr/sbin/policy-rc.d";

}  // namespace topsctl

// Finds the trees among the files of a bundle, and packs them in a confined process.
#include "topsctl/engine/inspection/tree_packages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/tree_deb.hpp"
#include "topsctl/host/system/file_access.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::optional<TreeDeb> tree_of(const std::string& file, const std::vector<Stack>& stacks) {
  static const Pattern form(
      "([A-Za-z0-9.+-]+)_([A-Za-z0-9.+~-]+?)(?:_(?:x86_64|amd64))?"
      "[.](?:t[xgb]z|tzst|tar(?:[.][a-z0-9]+)?)");
  const auto parts = form.groups(file);
  if (!parts) return std::nullopt;
  const std::string& name = parts->front();
  TreeDeb deb;
  deb.version = parts->back();
  for (const Stack& stack : stacks) {
    for (const Component& component : stack.components) {
      const auto& archives = component.tree.archives;
      if (std::find(archives.begin(), archives.end(), name) == archives.end()) continue;
      deb.package = component.names.front();
      deb.prefix = component.tree.prefix;
      deb.origin = file;
      return deb;
    }
  }
  return std::nullopt;
}

fs::path new_folder() {
  std::string folder = (folder_for_large_files() / "topsctl-tree-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw system_error(errno, "make", folder);
  return folder;
}

void pack(const FoundFile& archive, const TreeDeb& as, const fs::path& to,
          const SandboxWish& wish) {
  ConfinedCall call;
  call.sandboxing = wish.sandboxing;
  call.subject = in_quotes(archive.shown);
  call.inputs.insert(archive.file);
  call.outputs.insert(to);
  call.on_warning = wish.on_warning;
  static_cast<void>(call_confined(call, [&](const ConfinedProgress&) {
    write_tree_deb(archive.file, as, to);
    return std::string();
  }));
}

}  // namespace

BundleFiles::BundleFiles(const std::vector<fs::path>& paths, const std::vector<Stack>& stacks,
                         const SandboxWish& wish)
    : found_(files_of_bundle(paths)) {
  try {
    for (FoundFile& file : found_.files) {
      const auto tree = tree_of(file.file.filename().string(), stacks);
      if (!tree) continue;
      if (folder_.empty()) folder_ = new_folder();
      const fs::path to = folder_ / concat(tree->package, "_", tree->version, "_amd64.deb");
      pack(file, *tree, to, wish);
      file.file = to;
    }
  } catch (...) {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
    throw;
  }
}

BundleFiles::~BundleFiles() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace topsctl

// Archives of a bundle that contain a file tree of a stack, converted to packages.
#pragma once

#include <filesystem>
#include <vector>

#include "topsctl/engine/inspection/confined_reading.hpp"
#include "topsctl/host/bundle/bundle_files.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The files of a bundle, with each archive NAME_VERSION_x86_64.tar.xz (or .txz, .tgz, ...) that one
// of these stacks calls a tree packed into a deb. The debs lie in a temporary directory in TMPDIR,
// else in /var/tmp, which is removed with this object.
class BundleFiles {
 public:
  // Throws the errors of files_of_bundle(), and Error{bad_package} for a tree that cannot be
  // packed.
  BundleFiles(const std::vector<std::filesystem::path>& paths, const std::vector<Stack>& stacks,
              const SandboxWish& wish);
  ~BundleFiles();
  BundleFiles(const BundleFiles&) = delete;
  BundleFiles& operator=(const BundleFiles&) = delete;

  const FoundFiles& found() const { return found_; }

 private:
  FoundFiles found_;
  std::filesystem::path folder_;  // empty: nothing was packed
};

}  // namespace topsctl

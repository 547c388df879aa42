// Holds the one path that the build hands to the tests.
#include "support/source_tree.hpp"

namespace topsctl {

std::filesystem::path source_tree() {
  return TOPSCTL_SOURCE_DIR;
}

}  // namespace topsctl

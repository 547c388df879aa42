// Documents that are kept in tests/data and compared as a whole.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/source_tree.hpp"

namespace topsctl {

// Compares with a file of tests/data; with TOPSCTL_UPDATE_GOLDENS set it is written instead.
inline void expect_golden(const std::string& text, const std::string& file) {
  const std::filesystem::path path = source_tree() / "tests" / "data" / file;
  if (std::getenv("TOPSCTL_UPDATE_GOLDENS") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream input(path, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(input), {}};
  EXPECT_EQ(text, expected) << "differs from " << file
                            << "; if that is meant, run with TOPSCTL_UPDATE_GOLDENS=1";
}

}  // namespace topsctl

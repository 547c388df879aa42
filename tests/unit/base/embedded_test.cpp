// What is built into the program: stacks, probes and pages.
#include "topsctl/base/embedded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/source_tree.hpp"
#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

TEST(EmbeddedFiles, HoldTheStackTheProbesAndThePages) {
  for (const char* name : {"stacks/topsrider-t2x.json", "probes/interpreter.py",
                           "probes/backend.py", "commands/topsctl.md", "commands/install.md"}) {
    const auto bytes = embedded_file(name);
    ASSERT_TRUE(bytes.has_value()) << name;
    EXPECT_FALSE(bytes->empty()) << name;
  }
}

TEST(EmbeddedFiles, AreByteForByteWhatTheSourceTreeHas) {
  const std::filesystem::path top = source_tree();
  for (const EmbeddedFile& file : embedded_files()) {
    const bool page = file.name.starts_with("commands/") || file.name.starts_with("zh/");
    const auto source = (page ? top / "docs" : top / "src/data") / file.name;
    EXPECT_TRUE(file.bytes == TemporaryFolder::read_bytes(source)) << file.name << " differs";
  }
}

TEST(EmbeddedFiles, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const EmbeddedFile& file : embedded_files()) {
    EXPECT_TRUE(names.insert(file.name).second) << file.name;
  }
}

TEST(EmbeddedFiles, GiveNothingForAnUnknownName) {
  EXPECT_FALSE(embedded_file("stacks/none.json").has_value());
  EXPECT_FALSE(embedded_file("").has_value());
}

}  // namespace
}  // namespace topsctl

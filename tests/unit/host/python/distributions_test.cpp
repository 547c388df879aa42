// What is installed for an interpreter, in both forms and in every state of disrepair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "host/python/distributions.hpp"
#include "support/sample_host.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

std::vector<std::string> seen(const SampleHost& sample, const std::vector<std::string>& sites) {
  PythonFacts python;
  python.site_directories = sites;
  std::vector<std::string> seen;
  for (const InstalledWheel& wheel : read_distributions(sample.host, python))
    seen.push_back(concat(wheel.name, " ", wheel.version));
  return seen;
}

TEST(Distributions, AreNamedByTheirMetadata) {
  const SampleHost sample;
  sample.folder.write("site/Torch_GCU-1.dist-info/METADATA",
                      "Name: torch-gcu\nVersion: 1.10+2.5.136\n\nName: prose\n");
  sample.folder.write("site/numpy-1.egg-info/PKG-INFO", "Name: numpy\nVersion: 1.17.4\n");
  sample.folder.write("site/six-1-py3.8.egg-info", "Name: six\nVersion: 1.14.0\n");
  EXPECT_THAT(seen(sample, {"/site"}),
              ElementsAre("torch-gcu 1.10+2.5.136", "numpy 1.17.4", "six 1.14.0"));
}

TEST(Distributions, AreNamedByTheirFolderWithoutMetadata) {
  const SampleHost sample;
  sample.folder.make_folder("site/half_gone-1.2.dist-info");
  sample.folder.make_folder("site/odd.egg-info");
  sample.folder.write("site/x-2-py3.8.egg-info", "");
  EXPECT_THAT(seen(sample, {"/site"}), ElementsAre("half_gone 1.2", "odd ", "x 2"));
}

TEST(Distributions, ThatPipLeftBehindAreNone) {
  const SampleHost sample;
  sample.folder.write("site/~orch-1.dist-info/METADATA", "Name: torch\nVersion: 1\n");
  sample.folder.write("site/.dist-info/METADATA", "Name: torch\nVersion: 1\n");
  EXPECT_THAT(seen(sample, {"/site"}), ElementsAre());
}

TEST(Distributions, ComeInTheOrderOfTheFoldersAndOnceForEach) {
  const SampleHost sample;
  sample.folder.make_folder("b/same-2.dist-info");
  sample.folder.make_folder("a/same-1.dist-info");
  std::filesystem::create_symlink("b", sample.folder / "link");
  EXPECT_THAT(seen(sample, {"/none", "/b", "/link", "/a", "/b"}), ElementsAre("same 2", "same 1"));
}

TEST(Distributions, WithHugeMetadataAreNamedByTheirFolder) {
  const SampleHost sample;
  sample.folder.write("site/big-3.dist-info/METADATA",
                      concat("Name: other\n", std::string(5U << 20U, 'x')));
  EXPECT_THAT(seen(sample, {"/site"}), ElementsAre("big 3"));
}

}  // namespace
}  // namespace topsctl
